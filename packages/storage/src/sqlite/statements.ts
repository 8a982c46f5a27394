import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';

/** A row that a statement returned. */
export type Row = Record<string, SQLOutputValue>;

/** A row of `conversation`. */
export interface ConversationRow {
  readonly key: number;
  readonly id: string;
  readonly head: number;
  /** Seal of the last event. */
  readonly seal: Uint8Array<ArrayBuffer> | null;
  /** Number of events of a version without seals. */
  readonly legacy: number;
  readonly lease_epoch: number;
  /** Identifies the store that holds the lease; the lease columns are all null or all set. */
  readonly lease_holder: string | null;
  readonly lease_host: string | null;
  readonly lease_pid: number | null;
  readonly lease_boot: string | null;
  /** UTC milliseconds. */
  readonly lease_until: number | null;
}

/** Converts a row of `conversation`: the schema is strict, so the columns have their types. */
export function toConversation(row: Row): ConversationRow {
  return row as unknown as ConversationRow;
}

/** The end of a log. */
export type LogState = Pick<ConversationRow, 'head' | 'seal' | 'legacy'>;

/** Converts the row that `logState` selects. */
export function toLogState(row: Row): LogState {
  const { head, seal, legacy } = toConversation(row);
  return { head, seal, legacy };
}

/** A row of `event`, without the conversation. */
export interface EventRow {
  readonly seq: number;
  readonly id: string;
  readonly kind: string;
  readonly parent_id: string | null;
  /** The text without the strings that are stored as blobs; empty if it is packed. */
  readonly text: string;
  /** The same, packed; null in rows of older versions. */
  readonly packed: Uint8Array<ArrayBuffer> | null;
  /** Number of those strings; null for none. */
  readonly blobs: number | null;
  readonly seal: Uint8Array<ArrayBuffer> | null;
}

/** Converts a row of `event`: the schema is strict, so the columns have their types. */
export function toEvent(row: Row): EventRow {
  return row as unknown as EventRow;
}

/** Converts a row of `snapshot`: the schema is strict, so the columns have their types. */
export function toSnapshot(row: Row): { readonly seq: number; readonly state: string } {
  return row as unknown as { readonly seq: number; readonly state: string };
}

const summaries = `
  SELECT id, created_at, updated_at, head, owner, meta.json AS meta FROM conversation JOIN meta ON meta.conversation = key`;

/** Compares the expression of the index `meta_by_status` with a JSON list of texts, which is the parameter. */
export const hasStatus = `(
  CASE WHEN NOT json_valid(json) THEN '' WHEN json_type(json, '$.status') = 'text' THEN json ->> '$.status' ELSE '' END
) IN (SELECT value FROM json_each(?))`;

/** Every SQL statement of the store. Parameters are positional. */
const sql = {
  conversation: 'SELECT * FROM conversation WHERE id = ?',
  logState: 'SELECT head, lease_epoch, seal, legacy FROM conversation WHERE key = ?',
  insertConversation: `
    INSERT INTO conversation (id, created_at, updated_at, owner, head, lease_epoch) VALUES (?, ?, ?, ?, 0, 0) RETURNING key`,
  removeConversation: 'DELETE FROM conversation WHERE key = ?',
  setHead: 'UPDATE conversation SET head = ?, seal = ?, updated_at = ?, lease_until = ? WHERE key = ?',
  setSeal: 'UPDATE conversation SET seal = ?, legacy = 0 WHERE key = ?',
  eventCount: `
    SELECT count(*) AS count, min(seq) AS first, max(seq) AS last FROM event WHERE conversation = ?`,
  seqs: 'SELECT seq FROM event WHERE conversation = ? ORDER BY seq',
  deleteCheckpoints: `
    DELETE FROM statement WHERE conversation = ? AND seq >= ? AND json ->> 'kind' = 'checkpoint'`,
  sealOf: 'SELECT seal FROM event WHERE conversation = ? AND seq = ?',
  insertMeta: 'INSERT INTO meta (conversation, json) VALUES (?, ?)',
  setMeta: 'UPDATE meta SET json = ? WHERE conversation = ?',

  takeLease: `
    UPDATE conversation SET lease_epoch = ?, lease_holder = ?, lease_host = ?, lease_pid = ?, lease_boot = ?, lease_until = ?
    WHERE key = ?`,
  renewLease: 'UPDATE conversation SET lease_until = ? WHERE key = ? AND lease_epoch = ?',
  releaseLease: `
    UPDATE conversation
    SET lease_holder = NULL, lease_host = NULL, lease_pid = NULL, lease_boot = NULL, lease_until = NULL
    WHERE key = ? AND lease_epoch = ?`,

  insertEvent: `
    INSERT INTO event (conversation, seq, id, kind, parent_id, text, packed, blobs, seal)
    VALUES (?, ?, ?, ?, ?, '', ?, ?, ?)`,
  blob: 'SELECT key FROM blob WHERE sha256 = ? AND text = ?',
  // Same hash, different text: the stored blob is damaged, so it is overwritten.
  insertBlob: `
    INSERT INTO blob (sha256, text) VALUES (?, ?)
    ON CONFLICT (sha256) DO UPDATE SET text = excluded.text RETURNING key`,
  insertString: 'INSERT INTO event_blob (conversation, seq, at, blob) VALUES (?, ?, ?, ?)',
  strings: `
    SELECT at, blob.text AS string FROM event_blob JOIN blob ON blob.key = event_blob.blob
    WHERE conversation = ? AND seq = ? ORDER BY at`,
  deleteStrings: 'DELETE FROM event_blob WHERE conversation = ? AND seq = ?',
  firstUnsealed: 'SELECT seq FROM event WHERE conversation = ? AND seal IS NULL ORDER BY seq LIMIT 1',
  sealEvent: 'UPDATE event SET seal = ? WHERE conversation = ? AND seq = ?',
  seals: `
    SELECT seq, seal FROM event
    WHERE conversation = ? AND seq >= ? AND seq < ? AND seal IS NOT NULL ORDER BY seq LIMIT ?`,
  insertStatement: 'INSERT INTO statement (conversation, seq, json) VALUES (?, ?, ?)',
  setText: `UPDATE event SET text = '', packed = ?, blobs = ? WHERE conversation = ? AND seq = ?`,
  deleteEvents: 'DELETE FROM event WHERE conversation = ? AND (seq >= ? OR seq < 0)',
  deleteStatements: `
    DELETE FROM statement WHERE conversation = ? AND seq >= ? AND json ->> 'kind' <> 'cut'`,
  quarantined: `
    SELECT number, json FROM quarantine WHERE conversation = ? AND number > ? ORDER BY number LIMIT 1`,
  setQuarantined: 'UPDATE quarantine SET json = ? WHERE number = ?',
  insertQuarantined: 'INSERT INTO quarantine (conversation, at, json) VALUES (?, ?, ?)',
  quarantineStatements: `
    INSERT INTO quarantine (conversation, at, json)
    SELECT conversation, ?, json FROM statement
    WHERE conversation = ? AND seq >= ? AND json ->> 'kind' <> 'cut' ORDER BY number`,
  statements: `
    SELECT seq, json FROM statement WHERE conversation = ? AND seq >= ? AND seq < ? ORDER BY seq, number`,
  allStatements: 'SELECT number, seq, json FROM statement WHERE conversation = ?',
  deleteStatement: 'DELETE FROM statement WHERE number = ?',
  eventById: 'SELECT seq, text, packed, blobs FROM event WHERE conversation = ? AND id = ?',
  seqById: 'SELECT seq FROM event WHERE conversation = ? AND id = ?',
  events: `
    SELECT seq, id, kind, parent_id, text, packed, blobs FROM event
    WHERE conversation = ? AND seq >= ? AND seq < ? ORDER BY seq LIMIT ?`,
  sealedEvents: 'SELECT * FROM event WHERE conversation = ? AND seq >= ? AND seq < ? ORDER BY seq',

  summary: `${summaries} WHERE id = ?`,
  countConversations: 'SELECT count(*) AS count FROM conversation',
  countOwned: 'SELECT count(*) AS count FROM conversation WHERE owner = ?',
  countStatuses: `SELECT count(*) AS count FROM (SELECT 1 FROM meta WHERE ${hasStatus} LIMIT ?)`,
  countOwnedStatuses: `
    SELECT count(*) AS count FROM meta JOIN conversation ON key = meta.conversation WHERE ${hasStatus} AND owner = ?`,

  firstUnindexed: `
    SELECT key, id, head, facts FROM conversation WHERE key >= ? AND facts < head ORDER BY key LIMIT 1`,
  stateUpdates: `
    SELECT seq, kind, text, packed, blobs FROM event
    WHERE conversation = ? AND seq >= ? AND seq < ? AND kind = 'ConversationStateUpdateEvent' ORDER BY seq`,
  insertFact: `
    INSERT OR IGNORE INTO fact (name, value, conversation_id, seq, conversation) VALUES (?, ?, ?, ?, ?)`,
  setIndexedHead: 'UPDATE conversation SET facts = ? WHERE key = ?',
  deleteFacts: 'DELETE FROM fact WHERE conversation = ? AND seq = ?',
  limitIndexedHead: 'UPDATE conversation SET facts = min(facts, ?) WHERE key = ?',
  facts: `
    SELECT value, conversation_id AS conversation, seq FROM fact
    WHERE name = ? AND (value, conversation_id, seq) > (?, ?, ?) ORDER BY value, conversation_id, seq LIMIT ?`,
  factsOfValue: `
    SELECT value, conversation_id AS conversation, seq FROM fact
    WHERE name = ? AND value = ? AND (conversation_id, seq) > (?, ?) ORDER BY conversation_id, seq LIMIT ?`,

  latestSnapshot: `
    SELECT seq, state FROM snapshot WHERE conversation = ? AND name = ? AND seq <= ? ORDER BY seq DESC LIMIT 1`,
  snapshotAfter: `
    SELECT rowid AS number, name, seq, state FROM snapshot
    WHERE conversation = ? AND rowid > ? ORDER BY rowid LIMIT 1`,
  saveSnapshot: `
    INSERT OR REPLACE INTO snapshot (conversation, name, seq, state)
    SELECT key, ?, ?, ? FROM conversation WHERE key = ? AND lease_epoch = ? AND (lease_holder IS NOT NULL) = ?`,
  deleteOldSnapshots: `
    DELETE FROM snapshot WHERE conversation = ? AND name = ? AND seq NOT IN (
      SELECT seq FROM snapshot WHERE conversation = ? AND name = ? ORDER BY seq DESC LIMIT ?)`,

  deleteSnapshotsAfter: 'DELETE FROM snapshot WHERE conversation = ? AND seq > ?',

  secureDelete: 'PRAGMA secure_delete = ON',
  truncateWal: 'PRAGMA wal_checkpoint(TRUNCATE)',
  dataVersion: 'PRAGMA data_version',
} as const;

/** Statements, prepared once per connection. */
export type Statements = ReturnType<typeof prepareStatements>;

/** Prepares the statements; the database must have the schema. */
export function prepareStatements(database: DatabaseSync) {
  const prepared = Object.entries(sql).map(([name, text]) => [name, database.prepare(text)]);
  return {
    ...(Object.fromEntries(prepared) as Readonly<Record<keyof typeof sql, StatementSync>>),
    selectSummaries: (condition: string) => database.prepare(`${summaries} ${condition}`),
  };
}
