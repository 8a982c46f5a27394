import type { DatabaseSync } from 'node:sqlite';
import { StorageError } from '../contract/error.ts';
import { rollBack } from './transaction.ts';

/**
 * The schema, as a list of migrations: step n brings a database of version n - 1 to version n. Released steps are never
 * edited; a change is another step.
 *
 * `meta` is a table apart from `conversation` because an append rewrites the whole row that holds the head. The seal of
 * a conversation is the seal of its last event; rows of version 1 have none until the conversation is opened.
 *
 * `blob` stores each long string once. The text of an event without its long strings is `event.packed`, compressed, or
 * `event.text` in a row of a version before 7; the other one is empty. `event.blobs` is the number of its long strings
 * (null for none), and `event_blob` has their positions. A blob without references is deleted immediately.
 *
 * `conversation.legacy` is the number of events of a version without seals, which are sealed when the conversation is
 * opened. In every other conversation all events are sealed: one without a seal lost it. Each opening searches for one,
 * in the index `event_without_seal`, which is empty otherwise: the column of the seal follows the text in its row.
 *
 * `fact` is an index of facts, updated by searches: `conversation.facts` is the number of events indexed so far,
 * counted from the first.
 *
 * `meta_by_status` has the text `status` of each `meta`, and the empty text for `meta` without one.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE conversation (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    head INTEGER NOT NULL,
    lease_epoch INTEGER NOT NULL,
    lease_holder TEXT,
    lease_host TEXT,
    lease_pid INTEGER,
    lease_boot TEXT,
    lease_until INTEGER
  ) STRICT;
  CREATE INDEX conversation_by_update ON conversation (updated_at DESC, id DESC);
  CREATE TABLE meta (
    conversation INTEGER PRIMARY KEY REFERENCES conversation (key) ON DELETE CASCADE,
    json TEXT NOT NULL
  ) STRICT;
  CREATE TABLE event (
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    parent_id TEXT,
    text TEXT NOT NULL,
    PRIMARY KEY (conversation, seq),
    UNIQUE (conversation, id)
  ) STRICT;
  CREATE TABLE snapshot (
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (conversation, name, seq)
  ) STRICT;
  `,
  `
  ALTER TABLE conversation ADD COLUMN seal BLOB;
  ALTER TABLE event ADD COLUMN seal BLOB;
  CREATE TABLE statement (
    number INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX statement_by_event ON statement (conversation, seq);
  CREATE TABLE quarantine (
    number INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX quarantine_by_conversation ON quarantine (conversation);
  `,
  `
  ALTER TABLE event ADD COLUMN blobs INTEGER;
  CREATE TABLE blob (
    key INTEGER PRIMARY KEY,
    sha256 BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE event_blob (
    conversation INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    blob INTEGER NOT NULL REFERENCES blob (key),
    PRIMARY KEY (conversation, seq, at),
    FOREIGN KEY (conversation, seq) REFERENCES event (conversation, seq) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX event_blob_by_blob ON event_blob (blob);
  CREATE TRIGGER blob_unused AFTER DELETE ON event_blob
  WHEN NOT EXISTS (SELECT 1 FROM event_blob WHERE blob = OLD.blob)
  BEGIN
    DELETE FROM blob WHERE key = OLD.blob;
  END;
  `,
  `
  ALTER TABLE conversation ADD COLUMN facts INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE fact (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    conversation INTEGER NOT NULL,
    PRIMARY KEY (name, value, conversation_id, seq),
    FOREIGN KEY (conversation, seq) REFERENCES event (conversation, seq) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX fact_by_event ON fact (conversation, seq);
  `,
  `
  ALTER TABLE conversation ADD COLUMN legacy INTEGER NOT NULL DEFAULT 0;
  UPDATE conversation SET legacy = head WHERE seal IS NULL AND NOT EXISTS (
    SELECT 1 FROM event WHERE event.conversation = conversation.key AND event.seal IS NOT NULL);
  `,
  `
  CREATE INDEX event_without_seal ON event (conversation, seq) WHERE seal IS NULL;
  `,
  `
  ALTER TABLE event ADD COLUMN packed BLOB;
  `,
  `
  CREATE INDEX conversation_by_creation ON conversation (created_at DESC, id DESC);
  CREATE INDEX meta_by_status ON meta (
    CASE WHEN NOT json_valid(json) THEN '' WHEN json_type(json, '$.status') = 'text' THEN json ->> '$.status' ELSE '' END);
  `,
  `
  ALTER TABLE conversation ADD COLUMN owner TEXT NOT NULL DEFAULT '';
  CREATE INDEX conversation_by_owner ON conversation (owner, created_at DESC, id DESC);
  `,
];

/** Identifies a SQLite file of this store: "varv". */
const applicationId = 0x76617276;

/**
 * Migrates a database to the newest schema in one transaction: with one for each step, they were most of the time to
 * create a store. Does not wait: a database that another process is migrating is busy.
 *
 * @throws {StorageError} `invalid` for a database of another application or of a newer version; SQLite's own errors.
 */
export function migrate(database: DatabaseSync, path: string, steps: readonly string[]): void {
  if (nextStep(database, path, steps) === undefined) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Checked again inside the transaction: another process may have run steps in the meantime.
    for (let step = nextStep(database, path, steps); step !== undefined; step = nextStep(database, path, steps)) {
      database.exec(step);
    }
    database.exec('COMMIT');
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Rejects a database of another application, unless it is empty. @throws {StorageError} `invalid`. */
export function checkOwner(database: Pick<DatabaseSync, 'prepare'>, path: string): void {
  // Read in this order: another process may create the schema in between, in one transaction with the id.
  const isEmpty = numberFrom(database, 'SELECT count(*) FROM sqlite_schema') === 0;
  const owner = numberFrom(database, 'PRAGMA application_id');
  if (owner === applicationId || (owner === 0 && isEmpty)) return;
  throw new StorageError('invalid', `${path} is a database of another application.`);
}

/**
 * Returns the version of a database's schema, 0 for an empty database.
 *
 * @throws {StorageError} `invalid` for a database of another application or of a newer version.
 */
export function versionOf(database: Pick<DatabaseSync, 'prepare'>, path: string, steps: readonly string[]): number {
  checkOwner(database, path);
  const version = numberFrom(database, 'PRAGMA user_version');
  if (version <= steps.length) return version;
  throw new StorageError('invalid', `${path} has schema ${version}, newer than the ${steps.length} known here.`);
}

function nextStep(database: DatabaseSync, path: string, steps: readonly string[]): string | undefined {
  const version = versionOf(database, path, steps);
  const step = steps[version];
  if (step === undefined) return undefined;
  return `${step}; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version + 1};`;
}

function numberFrom(database: Pick<DatabaseSync, 'prepare'>, sql: string): number {
  const [value] = Object.values(database.prepare(sql).get() ?? {});
  return typeof value === 'number' ? value : Number.NaN;
}
