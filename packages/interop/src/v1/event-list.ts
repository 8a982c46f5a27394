import { firstKeys } from '../common/first-keys.ts';
import { fieldsOf, parseForeignJson } from '../common/foreign-json.ts';
import { onlyStart, onlyText } from '../common/json-lines.ts';
import type { ForeignFiles, ForeignLog, LogFormat } from '../common/log-format.ts';
import { InteropError } from '../error.ts';
import { readEventTexts, type PlacedText } from './read-events.ts';

/**
 * Events of the OpenHands agent SDK in one file: a list, a page of the agent-server, or one event per line, as
 * `varve show --json` prints them.
 */
export const v1EventsFormat: LogFormat = {
  name: 'v1-events',
  description: 'OpenHands V1 events in one file (a list, a page, or JSON Lines as of `varve show --json`)',
  async matches(files: ForeignFiles): Promise<boolean> {
    const start = await onlyStart(files, ['.json', '.jsonl']);
    const keys = firstKeys(start);
    const isPage = keys.has('items') && (keys.has('next_page_id') || /"kind"\s*:/.test(start));
    return isPage || (keys.has('kind') && (keys.has('id') || keys.has('timestamp')));
  },
  async read(files: ForeignFiles): Promise<readonly ForeignLog[]> {
    const { entries, problems } = readEventTexts(textsOf(await onlyText(files), files.name));
    if (entries.length === 0) throw new InteropError('invalid', `${files.name} contains no events.`);
    return [{ entries, problems, dropped: [], children: [] }];
  },
};

function textsOf(text: string, name: string): readonly PlacedText[] {
  const list = listOf(text, name);
  if (list) return list.map((item, index) => ({ place: `event ${index}`, text: JSON.stringify(item) }));
  return text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line, index) => ({ place: `line ${index + 1}`, text: line.trim() }))
    .filter(({ text: line }) => line !== '');
}

/** Returns the events of a list or of a page; undefined for one event per line. */
function listOf(text: string, name: string): readonly unknown[] | undefined {
  const start = text
    .slice(0, 1000)
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (!start.startsWith('[') && !firstKeys(start).has('items')) return undefined;
  const json = parseForeignJson(text.replace(/^\uFEFF/, ''), name);
  const list = fieldsOf(json)?.['items'] ?? json;
  return Array.isArray(list) ? list : undefined;
}
