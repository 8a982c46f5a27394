import { InteropError } from '../error.ts';
import { fieldsOf, integerOf, parseForeignJson } from '../common/foreign-json.ts';
import type {
  ForeignFiles,
  ForeignLog,
  LogFormat,
  Output,
  OutputFile,
  Problem,
  ReadOptions,
  WrittenLog,
} from '../common/log-format.ts';
import { pageSize, pagesOf } from './cache-pages.ts';
import { metadataFileOf, withMetadata } from './metadata.ts';
import { isPickle, pickleReason } from './pickled-state.ts';
import { readRecords } from './read-records.ts';
import type { V0Record } from './record.ts';
import { writeRecords } from './write-records.ts';

const eventPath = /^events\/(\d{1,15})\.json$/;
const pagePath = /^event_cache\/(\d{1,15})-(\d{1,15})\.json$/;

/**
 * Conversation directory of OpenHands V0: one file per event, pages of 25 events as a cache, and `metadata.json`. Files
 * that a crash left out are taken from the cache; gaps are skipped, as V0 does.
 */
export const eventDirectoryFormat: LogFormat = {
  name: 'v0-directory',
  description: 'OpenHands V0 conversation directory (events/0.json, event_cache, metadata.json)',
  async matches({ paths }: ForeignFiles): Promise<boolean> {
    return paths.some((path) => eventPath.test(path) || pagePath.test(path));
  },
  async read(files: ForeignFiles, options: ReadOptions): Promise<readonly ForeignLog[]> {
    const problems: Problem[] = [];
    for (const path of files.paths) if (isPickle(path)) problems.push({ place: path, reason: pickleReason });
    const records = await recordsIn(files, problems);
    if (records.length === 0) throw new InteropError('invalid', `${files.name} contains no events.`);
    const log = readRecords(records, options);
    const metadata = files.paths.includes('metadata.json')
      ? fieldsOf(await parsed(files, 'metadata.json', problems))
      : undefined;
    const all = { ...log, problems: [...problems, ...log.problems] };
    return [metadata ? withMetadata(all, metadata, options) : { ...all, id: files.name }];
  },
  write(log: WrittenLog): Output {
    const { records, dropped } = writeRecords(log.events);
    const names = fileNumbers(records);
    const events = records.map((record, index): OutputFile => ({
      path: `events/${names[index] ?? index}.json`,
      text: JSON.stringify(record),
    }));
    const pages = pagesOf(records).map(({ start, records: page }) => ({
      path: `event_cache/${start}-${start + pageSize}.json`,
      text: JSON.stringify(page),
    }));
    const metadata = { path: 'metadata.json', text: JSON.stringify(metadataFileOf(log)) };
    return { files: [...events, ...pages, metadata], dropped };
  },
};

/** Largest number of a file name; V0 has as many events at most. */
const maxNumber = 1e14;

/** Returns the numbers of the files of records: their ids in ascending order, else the next number. */
function fileNumbers(records: readonly V0Record[]): readonly number[] {
  let next = 0;
  return records.map((record) => {
    const id = integerOf(record['id']) ?? -1;
    const number = id >= next && id < maxNumber ? id : next;
    next = number + 1;
    return number;
  });
}

/** Returns the records by id: those of the files, and those of pages for files that are missing or broken. */
async function recordsIn(files: ForeignFiles, problems: Problem[]): Promise<readonly unknown[]> {
  const byId = new Map<number, unknown>();
  for (const path of files.paths) {
    const [, digits] = eventPath.exec(path) ?? [];
    const record = digits === undefined ? undefined : await parsed(files, path, problems);
    if (digits !== undefined && record !== undefined) byId.set(Number(digits), record);
  }
  for (const path of files.paths) {
    const [, start] = pagePath.exec(path) ?? [];
    const page = start === undefined ? undefined : await parsed(files, path, problems);
    if (!Array.isArray(page)) continue;
    for (const [offset, record] of page.entries()) {
      const recordId = fieldsOf(record)?.['id'];
      const id = typeof recordId === 'number' ? recordId : Number(start) + offset;
      if (!byId.has(id)) byId.set(id, record);
    }
  }
  return [...byId].toSorted(([a], [b]) => a - b).map(([, record]) => record);
}

/** Returns the JSON of a file; a file without any is reported. */
async function parsed(files: ForeignFiles, path: string, problems: Problem[]): Promise<unknown> {
  const text = await files.text(path);
  try {
    if (text !== undefined) return parseForeignJson(text, 'It');
    problems.push({ place: path, reason: 'It is not UTF-8 text.' });
  } catch (error) {
    if (!(error instanceof InteropError)) throw error;
    problems.push({ place: path, reason: error.message });
  }
  return undefined;
}
