import { factsOf, type SealedAppend, type SealedNewEvent } from '@varve/storage/kit';
import { columnsOf, type ConversationKey, type StoredString } from './events.ts';
import { sealBytes } from './rows.ts';

/** An append to a log whose end is known. */
export interface AppendTarget extends ConversationKey {
  /** Epoch of the lease. */
  readonly epoch: number;
  /** Number of events before the append. */
  readonly head: number;
  readonly leaseMs: number;
}

/** What an append stores. */
export interface AppendContent extends SealedAppend {
  readonly metaText: string | undefined;
}

/** A statement with its parameters. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/**
 * Builds one statement that appends and returns a row, or does nothing and returns none: if the lease was taken over,
 * or the head is another. It also renews the lease.
 *
 * All is or is not stored: the fence is the row of the conversation, which the statement locks, and everything else is
 * inserted from it.
 */
export function appendStatement(s: string, target: AppendTarget, content: AppendContent): Statement {
  const { events, statements, last, metaText } = content;
  const { key, epoch, head, leaseMs } = target;
  const isChange = events.length > 0 || metaText !== undefined;
  const parts = [
    isChange
      ? `fence AS (
          UPDATE ${s}.conversation
          SET head = $4, seal = $5, updated_at = ${s}.now_ms(), lease_until = ${s}.now_ms() + $6
          WHERE key = $1 AND lease_epoch = $2 AND head = $3 RETURNING key, id)`
      : `fence AS (
          UPDATE ${s}.conversation SET lease_until = ${s}.now_ms() + $4
          WHERE key = $1 AND lease_epoch = $2 AND head = $3 RETURNING key, id)`,
  ];
  const seal = head + events.length === 0 ? null : sealBytes(last);
  const values: unknown[] = [key, epoch, head, ...(isChange ? [head + events.length, seal] : []), leaseMs];
  const add = (build: (place: Place) => string): void => {
    parts.push(build((value) => `$${values.push(value)}`));
  };
  if (metaText !== undefined) {
    add(
      (place) => `meta AS (
      UPDATE ${s}.meta SET json = ${place(metaText)} FROM fence WHERE conversation = fence.key)`,
    );
  }
  if (events.length > 0) addEvents(s, events, add);
  if (statements.length > 0) {
    const rows = statements.map((statement, n) => [n, statement.seq, statement.kind, JSON.stringify(statement)]);
    add(
      (place) => `statements AS (
      INSERT INTO ${s}.statement (conversation, seq, kind, json)
      SELECT fence.key, new.seq, new.kind, new.json
      FROM fence, ${newRows('n bigint, seq bigint, kind text, json text', rows, place)} ORDER BY new.n)`,
    );
  }
  return { sql: `WITH ${parts.join(', ')} SELECT key FROM fence`, values };
}

/** Adds a value to the parameters of a statement and returns its place. */
type Place = (value: unknown) => string;

type Add = (build: (place: Place) => string) => void;

/**
 * Number of rows up to which each value is a parameter. `unnest` needs a function scan per column, which made an append
 * of one event 1.5 times as slow; with one parameter per value the number of different statements, and at last that of
 * parameters, would have no limit.
 */
const maxSingleValues = 8;

/** Returns the rows of a `FROM` clause, as the table `new` with typed columns: `seq bigint, id text`. */
function newRows(columns: string, rows: readonly (readonly unknown[])[], place: Place): string {
  const names = columns.split(', ').map((column) => column.split(' ')[0]);
  const types = columns.split(', ').map((column) => column.split(' ')[1]);
  const table = `AS new (${names.join(', ')})`;
  if (rows.length > maxSingleValues) {
    const arrays = types.map((type, at) => `${place(rows.map((row) => row[at]))}::${type}[]`);
    return `unnest(${arrays.join(', ')}) ${table}`;
  }
  const lists = rows.map((row) => `(${row.map((value, at) => `${place(value)}::${types[at]}`).join(', ')})`);
  return `(VALUES ${lists.join(', ')}) ${table}`;
}

const eventColumns =
  'seq bigint, id text, kind text, parent_id text, text text, bytes bigint, blobs integer, seal bytea';

function addEvents(s: string, events: readonly SealedNewEvent[], add: Add): void {
  const split = events.map(columnsOf);
  const rows = events.map((event, at) => {
    const { text, bytes, blobs } = split[at]?.columns ?? {};
    return [event.seq, event.id, event.kind, event.parentId ?? null, text, bytes, blobs, sealBytes(event.seal)];
  });
  add(
    (place) => `events AS (
    INSERT INTO ${s}.event (conversation, seq, id, kind, parent_id, text, bytes, blobs, seal)
    SELECT fence.key, new.* FROM fence, ${newRows(eventColumns, rows, place)})`,
  );
  const strings = split.flatMap((texts) => texts.strings);
  if (strings.length > 0) addStrings(s, strings, add);
  const facts = events.flatMap((event) => factsOf(event).map(({ name, value }) => [name, value, event.seq]));
  if (facts.length === 0) return;
  add(
    (place) => `facts AS (
    INSERT INTO ${s}.fact (name, value, conversation_id, seq, conversation)
    SELECT new.name, new.value, fence.id, new.seq, fence.key
    FROM fence, ${newRows('name text, value text, seq bigint', facts, place)} ON CONFLICT DO NOTHING)`,
  );
}

/**
 * Adds the long strings: each once, under its SHA-256. A blob that exists is updated without a change, which waits for
 * a transaction that deletes it, and keeps it from being deleted. In one order, so that two appends do not wait for
 * each other.
 */
function addStrings(s: string, strings: readonly StoredString[], add: Add): void {
  const unique = new Map(strings.map((string) => [string.sha256.toString('hex'), string]));
  const blobs = [...unique].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, blob]) => blob);
  const blobRows = blobs.map(({ sha256, string }, n) => [n, sha256, string]);
  add(
    (place) => `blobs AS (
    INSERT INTO ${s}.blob (sha256, text)
    SELECT new.sha256, new.text
    FROM fence, ${newRows('n bigint, sha256 bytea, text text', blobRows, place)} ORDER BY new.n
    ON CONFLICT (sha256) DO UPDATE SET sha256 = excluded.sha256 RETURNING key, sha256)`,
  );
  const rows = strings.map(({ seq, at, sha256 }) => [seq, at, sha256]);
  add(
    (place) => `strings AS (
    INSERT INTO ${s}.event_blob (conversation, seq, at, blob)
    SELECT fence.key, new.seq, new.at, blobs.key
    FROM fence, ${newRows('seq bigint, at integer, sha256 bytea', rows, place)}
    JOIN blobs ON blobs.sha256 = new.sha256)`,
  );
}
