import { fieldsOf, foreignJson, stringOf } from '../common/foreign-json.ts';
import type { ForeignFiles, ForeignLog, LogFormat } from '../common/log-format.ts';
import { InteropError } from '../error.ts';
import { readEventTexts, type PlacedText } from './read-events.ts';

/** Names of event files: those of the reference, and those of its documented pages. */
const names = [/^event-(\d{5,15})-.+\.json$/, /^(\d{6})_[\w-]+\.json$/, /^(\d{4})_[A-Za-z_]+\.json$/];

/**
 * Conversation directory of the OpenHands agent SDK in any of its layouts: `event-00000-<id>.json`, `000000_<id>.json`
 * and `0001_<kind>.json`, in `events` or next to `base_state.json`. The store `dir:` writes the first.
 */
export const v1DirectoryFormat: LogFormat = {
  name: 'v1-directory',
  description: 'OpenHands V1 conversation directory (event-00000-ID.json, 000000_ID.json, 0001_KIND.json)',
  async matches({ paths }: ForeignFiles): Promise<boolean> {
    return paths.some((path) => indexOf(path) !== undefined);
  },
  async read(files: ForeignFiles): Promise<readonly ForeignLog[]> {
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
