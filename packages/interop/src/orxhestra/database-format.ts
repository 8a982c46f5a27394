import type { DatabaseSync } from 'node:sqlite';
import type { ForeignLog, LogFormat, ReadOptions } from '../common/log-format.ts';
import { onlyStart } from '../common/json-lines.ts';
import { fieldsOf, foreignJson } from '../common/foreign-json.ts';
import { InteropError } from '../error.ts';
import { exactEvents, withChecks } from './session-format.ts';
import { readEvents } from './read-events.ts';

/** SQLite database of orxhestra's sessions, one conversation per session. */
export const orxhestraDatabaseFormat: LogFormat = {
  name: 'orxhestra-db',
  hasSignatures: true,
  async matches(files) {
    const start = await onlyStart(files, ['.db', '.sqlite', '.sqlite3']);
    return start.startsWith('SQLite format 3\0') && start.includes('orx_events');
  },
  async read(files, options) {
    const [path = ''] = files.paths;
    const location = files.location?.(path);
    if (location === undefined) throw new InteropError('unsupported', `${path} is a database that is not on a disk.`);
    const sessions = await sessionRows(location, path);
    if (sessions.length === 0) throw new InteropError('invalid', `${path} contains no sessions.`);
    return sessions.map(({ events, state_json, ...row }) => readSession({ ...row, state_json }, events, options));
  },
};

interface SessionRow {
  readonly id: string;
  readonly app_name: string;
  readonly user_id: string;
  readonly state_json: string;
  readonly last_update_time: number;
  /** JSON texts in the order of the events. */
  readonly events: readonly string[];
}

function readSession(
  { state_json, ...row }: Omit<SessionRow, 'events'>,
  texts: readonly string[],
  options: ReadOptions,
): ForeignLog {
  const broken: number[] = [];
  const values = texts.map((text, index) => {
    const value = foreignJson(text);
    if (value === undefined) broken.push(index);
    return value;
  });
  const fields = { ...row, state: fieldsOf(foreignJson(state_json)) ?? {} };
  const log = readEvents({ fields, events: values.filter((value) => value !== undefined) }, options);
  const problems = broken.map((index) => ({ place: `event ${index}`, reason: 'It is not JSON.' }));
  const isBroken = new Set(broken);
  const readable = texts.filter((_text, index) => !isBroken.has(index));
  return { ...withChecks(log, exactEvents(readable), options), problems: [...problems, ...log.problems] };
}

/** Largest event of a database that is read. */
const maxBytes = 256 * 1024 * 1024;

/**
 * Returns the rows of all sessions. The file is opened for reading, and only plain tables are read: a view or a virtual
 * table of a hostile file could run without an end.
 *
 * @throws {InteropError} `invalid` for another file.
 */
async function sessionRows(location: string, name: string): Promise<readonly SessionRow[]> {
  // Loaded here, because other formats do not need it.
  const { DatabaseSync } = await import('node:sqlite');
  try {
    const database = new DatabaseSync(location, { readOnly: true, allowExtension: false });
    try {
      return rowsOf(database, name);
    } finally {
      database.close();
    }
  } catch (cause) {
    if (cause instanceof InteropError) throw cause;
    throw new InteropError('invalid', `${name} cannot be read as a database.`, { cause });
  }
}

function rowsOf(database: DatabaseSync, name: string): readonly SessionRow[] {
  database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0');
  const tables = database.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('orx_sessions', 'orx_events')" +
      " AND sql LIKE 'CREATE TABLE%' AND sql NOT LIKE '%GENERATED%' AND sql NOT LIKE '%AS (%'",
  );
  if (tables.all().length !== 2) throw new InteropError('invalid', `${name} has no tables of sessions.`);
  const size = database.prepare('SELECT max(length(event_json)) AS size FROM orx_events').get()?.['size'];
  if (Number(size) > maxBytes) throw new InteropError('invalid', `${name} has an event of over ${maxBytes} bytes.`);
  const sessions = database.prepare(
    'SELECT id, app_name, user_id, state_json, last_update_time FROM orx_sessions ORDER BY last_update_time, id',
  );
  // The times of events may be equal; the rows are in the order in which they were stored.
  const events = database.prepare('SELECT event_json FROM orx_events WHERE session_id = ? ORDER BY created_at, rowid');
  return sessions.all().map((row) => ({
    id: String(row['id']),
    app_name: String(row['app_name']),
    user_id: String(row['user_id']),
    state_json: String(row['state_json']),
    last_update_time: Number(row['last_update_time']),
    events: events.all(String(row['id'])).map((event) => String(event['event_json'])),
  }));
}
