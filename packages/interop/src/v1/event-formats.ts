import { fieldsOf, foreignJson, stringOf, parseForeignJson, firstKeys } from '../common/foreign-json.ts';
import type { ForeignFiles, LogFormat } from '../common/log-format.ts';
import { InteropError } from '../error.ts';
import { readEventTexts, type PlacedText } from './read-events.ts';
import { onlyStart, onlyText } from '../common/json-lines.ts';

/** Names of event files: those of the reference, and those of its documented pages. */
const names = [/^event-(\d{5,15})-.+\.json$/, /^(\d{6})_[\w-]+\.json$/, /^(\d{4})_[A-Za-z_]+\.json$/];

/**
 * Conversation directory of the OpenHands agent SDK in any of its layouts: `event-00000-<id>.json`, `000000_<id>.json`
 * and `0001_<kind>.json`, in `events` or next to `base_state.json`. The store `dir:` writes the first.
 */
export const v1DirectoryFormat: LogFormat = {
  name: 'v1-directory',
  async matches({ paths }) {
    return paths.some((path) => indexOf(path) !== undefined);
  },
  async read(files) {
    const placed = files.paths.flatMap((path) => {
      const index = indexOf(path);
      return index === undefined ? [] : [{ path, index }];
    });
    const ordered = placed.toSorted((a, b) => a.index - b.index);
    const texts: PlacedText[] = [];
    // One by one: a directory may have more files than a process may open.
    for (const { path } of ordered) texts.push({ place: path, text: await files.text(path) });
    const { entries, problems } = readEventTexts(texts);
    if (entries.length === 0) throw new InteropError('invalid', `${files.name} contains no events.`);
    const id = stringOf((await jsonOf(files, 'base_state.json'))?.['id']) ?? files.name;
    const title = stringOf((await jsonOf(files, 'meta.json'))?.['title']);
    const named = { id: id.replaceAll('-', ''), ...(title !== undefined && { title }) };
    return [{ ...named, entries, problems, dropped: [], children: [] }];
  },
};

function indexOf(path: string): number | undefined {
  const name = /^(?:events\/)?([^/]+)$/.exec(path)?.[1] ?? '';
  const digits = names.map((pattern) => pattern.exec(name)?.[1]).find((match) => match !== undefined);
  return digits === undefined ? undefined : Number(digits);
}

/** Returns the object in a file; undefined if the file is missing, because these files are caches. */
async function jsonOf(files: ForeignFiles, path: string): Promise<ReturnType<typeof fieldsOf>> {
  const text = files.paths.includes(path) ? await files.text(path) : undefined;
  return text === undefined ? undefined : fieldsOf(foreignJson(text));
}

/**
 * Events of the OpenHands agent SDK in one file: a list, a page of the agent-server, or one event per line, as
 * `varve show --json` prints them.
 */
export const v1EventsFormat: LogFormat = {
  name: 'v1-events',
  async matches(files) {
    const start = await onlyStart(files, ['.json', '.jsonl']);
    const keys = firstKeys(start);
    const isPage = keys.has('items') && (keys.has('next_page_id') || /"kind"\s*:/.test(start));
    return isPage || (keys.has('kind') && (keys.has('id') || keys.has('timestamp')));
  },
  async read(files) {
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
