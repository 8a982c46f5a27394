import { originFact } from '@varve/events/facts';
import type { BaseEvent } from '@varve/events';
import { InteropError } from '../error.ts';
import { fieldsOf, integerOf, parseForeignJson, stringOf, type Fields } from '../common/foreign-json.ts';
import type {
  ForeignFiles,
  ForeignLog,
  LogFormat,
  OutputFile,
  Problem,
  ReadOptions,
  WrittenLog,
} from '../common/log-format.ts';
import { isPickle, pickleReason } from './pickled-state.ts';
import { readRecords } from './read-records.ts';
import type { V0Record } from './tool-calls.ts';
import { writeRecords } from './write-records.ts';
import { differencesOf } from '../common/differences.ts';
import { LogBuilder } from '../common/log-builder.ts';
import { lastOrigin } from '../common/origins.ts';
import { Metrics } from './metrics.ts';

const eventPath = /^events\/(\d{1,15})\.json$/;
const pagePath = /^event_cache\/(\d{1,15})-(\d{1,15})\.json$/;

/**
 * Conversation directory of OpenHands V0: one file per event, pages of 25 events as a cache, and `metadata.json`. Files
 * that a crash left out are taken from the cache; gaps are skipped, as V0 does.
 */
export const eventDirectoryFormat: LogFormat = {
  name: 'v0-directory',
  async matches({ paths }) {
    return paths.some((path) => eventPath.test(path) || pagePath.test(path));
  },
  async read(files, options) {
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
  write(log) {
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

/** Number of events of a page of the cache. */
const pageSize = 25;

/** A full page of the cache. */
interface CachePage {
  /** Id of its first record: a multiple of {@link pageSize}. */
  readonly start: number;
  readonly records: readonly V0Record[];
}

/** Returns the full pages of records. A page with a gap is left out, because V0 finds events in it by their offset. */
function pagesOf(records: readonly V0Record[]): readonly CachePage[] {
  const byStart = new Map<number, V0Record[]>();
  for (const record of records) {
    const id = integerOf(record['id']) ?? -1;
    if (id < 0) continue;
    const start = id - (id % pageSize);
    const page = byStart.get(start) ?? [];
    page.push(record);
    byStart.set(start, page);
  }
  const pages = [...byStart].map(([start, page]) => ({ start, records: page }));
  return pages.filter(({ start, records: page }) => isFull(start, page));
}

function isFull(start: number, page: readonly V0Record[]): boolean {
  return page.length === pageSize && page.every(({ id }, offset) => id === start + offset);
}

/** Name of `metadata.json` in facts. */
const metadataFormat = 'openhands-v0-metadata';

/** Returns `metadata.json` of a log: as it was imported, with the current id and title. */
function metadataFileOf({ id, title, events }: WrittenLog): Fields {
  const fields = { conversation_id: id, ...(title !== undefined && { title }) };
  return { ...(lastOrigin(events, metadataFormat) ?? derivedMetadata(events)), ...fields };
}

/** Adds the content of `metadata.json` to a log that was read. */
function withMetadata(log: ForeignLog, metadata: Fields, { newId }: ReadOptions): ForeignLog {
  const { conversation_id: id, title } = metadata;
  const builder = new LogBuilder(newId, log.entries);
  // Totals and times may have changed when the file is written again, so the whole file is kept.
  const value = { format: metadataFormat, ...differencesOf({}, metadata) };
  const isKept = builder.add('', (stamp) => originFact.create(value, stamp));
  const problem = { place: 'metadata.json', reason: 'It cannot be kept: it is nested too deeply.' };
  return {
    ...log,
    ...(typeof id === 'string' && { id }),
    ...(stringOf(title) !== undefined && { title: stringOf(title) ?? '' }),
    entries: builder.entries,
    problems: isKept ? log.problems : [...log.problems, problem],
  };
}

/** Returns the fields that follow from the events, in the order of V0. */
function derivedMetadata(events: readonly BaseEvent[]): Fields {
  const metrics = new Metrics();
  for (const event of events) metrics.follow(event);
  const { accumulated_cost = 0, accumulated_token_usage } = metrics.fields() ?? {};
  const { prompt_tokens = 0, completion_tokens = 0, model = null } = fieldsOf(accumulated_token_usage) ?? {};
  return {
    conversation_id: '',
    selected_repository: null,
    user_id: null,
    selected_branch: null,
    git_provider: null,
    title: null,
    last_updated_at: events.at(-1)?.timestamp ?? null,
    trigger: null,
    pr_number: [],
    created_at: events[0]?.timestamp ?? null,
    llm_model: model,
    accumulated_cost,
    prompt_tokens,
    completion_tokens,
    total_tokens: Number(prompt_tokens) + Number(completion_tokens),
    sandbox_id: null,
    conversation_version: 'V0',
  };
}
