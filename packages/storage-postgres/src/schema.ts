import { StorageError } from '@varve/storage';
import { DatabaseFailure } from './errors.ts';
import type { Session } from './session.ts';
import { quoted } from './sql.ts';

/**
 * The schema, as a list of migrations: step n brings a schema of version n - 1 to version n. Released steps are never
 * edited; a change is another step. `s` is the quoted name of the PostgreSQL schema.
 *
 * Processes of version n - 1 keep using the tables after step n: it only adds, and added columns have defaults. What
 * a version no longer uses is removed by the step after it, except indexes, without which it is only slower.
 *
 * The tables are those of the SQLite store. `meta` is apart from `conversation`, because an append rewrites the row of
 * the head. `event.bytes` is the size of the whole text, which limits pages. `fact` is written with the event.
 *
 * No index contains what each append and each renewal of a lease changes: PostgreSQL then changes no index of
 * `conversation`. Listings use `updated_minute`, and sort the conversations of a minute.
 *
 * Leases use `now_ms`, the clock of the database: those of the processes differ. A lease lasts as long as the process
 * whose name is its `lease_holder`, which one row of `process` shows; `lease_until` counts for one without such a row,
 * of version 4, and is what processes of version 4 read.
 *
 * Events refer to their conversation without a foreign key, whose check was a tenth of an append: they are only
 * inserted from the row of the conversation, which the same statement locks.
 *
 * `status_in` returns the text `status` of a `meta`, cut to what an index may contain, without the escaped characters
 * of which PostgreSQL rejects some; the empty text without one. It never fails, because appends of `meta` execute it.
 *
 * A blob is deleted with its last reference. Its row is locked first, in a statement of its own: an append that refers
 * to it in the meantime has locked it too, and the next statement sees the reference.
 */
export const migrations: readonly ((s: string) => string)[] = [
  (s) => [conversationTables(s), eventTables(s), statementTables(s), derivedTables(s)].join(''),
  (s) => `
  ALTER TABLE ${s}.conversation ADD COLUMN lease_address text COLLATE "C";
  CREATE INDEX conversation_by_lease ON ${s}.conversation (key) WHERE lease_until IS NOT NULL;
  CREATE TABLE ${s}.record (
    name text COLLATE "C" PRIMARY KEY,
    text text COLLATE "C" NOT NULL,
    version bigint NOT NULL
  );
  `,
  (s) => `
  ALTER TABLE ${s}.event DROP CONSTRAINT event_conversation_fkey;
  CREATE FUNCTION ${s}.delete_events() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
  BEGIN
    DELETE FROM ${s}.event WHERE conversation = OLD.key;
    RETURN NULL;
  END $$;
  CREATE TRIGGER conversation_removed AFTER DELETE ON ${s}.conversation
    FOR EACH ROW EXECUTE FUNCTION ${s}.delete_events();
  `,
  (s) => `
  CREATE INDEX conversation_by_creation ON ${s}.conversation (created_at DESC, id DESC);
  CREATE FUNCTION ${s}.status_in(meta text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT
  SET search_path = pg_catalog, pg_temp AS $$
  DECLARE
    parsed json;
  BEGIN
    parsed := regexp_replace(meta, '(\\\\\\\\)|\\\\u[0-9a-fA-F]{4}', '\\1', 'g');
    RETURN CASE json_typeof(parsed -> 'status') WHEN 'string' THEN left(parsed ->> 'status', 100) ELSE '' END;
  EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
    RETURN '';
  END $$;
  CREATE INDEX meta_by_status ON ${s}.meta (${s}.status_in(json));
  ALTER TABLE ${s}.conversation SET (fillfactor = 70);
  ALTER TABLE ${s}.conversation ADD COLUMN updated_minute bigint GENERATED ALWAYS AS (updated_at / 60000) STORED;
  CREATE INDEX conversation_by_minute ON ${s}.conversation (updated_minute);
  DROP INDEX ${s}.conversation_by_update;
  CREATE INDEX conversation_by_holder ON ${s}.conversation (key) WHERE lease_host IS NOT NULL;
  DROP INDEX ${s}.conversation_by_lease;
  `,
  (s) => `
  CREATE TABLE ${s}.process (
    name text COLLATE "C" PRIMARY KEY,
    host text COLLATE "C" NOT NULL,
    pid bigint NOT NULL,
    boot text COLLATE "C" NOT NULL,
    alive_until bigint NOT NULL
  ) WITH (fillfactor = 50);
  CREATE INDEX conversation_by_process ON ${s}.conversation (coalesce(lease_holder, '')) WHERE lease_host IS NOT NULL;
  DROP INDEX ${s}.conversation_by_holder;
  CREATE INDEX meta_by_goal ON ${s}.meta (conversation) WHERE json LIKE '%"goal":"running"%';
  `,
  (s) => `
  ALTER TABLE ${s}.conversation ADD COLUMN owner text COLLATE "C" NOT NULL DEFAULT '';
  CREATE INDEX conversation_by_owner ON ${s}.conversation (owner, created_at DESC, id DESC);
  `,
];

// The tables of the first version.

function conversationTables(s: string): string {
  return `
  CREATE FUNCTION ${s}.now_ms() RETURNS bigint LANGUAGE sql VOLATILE
    AS 'SELECT floor(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000)::bigint';
  CREATE TABLE ${s}.conversation (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    head bigint NOT NULL DEFAULT 0,
    seal bytea,
    lease_epoch bigint NOT NULL DEFAULT 0,
    lease_holder text COLLATE "C",
    lease_host text COLLATE "C",
    lease_pid bigint,
    lease_boot text COLLATE "C",
    lease_until bigint
  );
  CREATE INDEX conversation_by_update ON ${s}.conversation (updated_at DESC, id DESC);
  CREATE TABLE ${s}.meta (
    conversation bigint PRIMARY KEY REFERENCES ${s}.conversation (key) ON DELETE CASCADE,
    json text COLLATE "C" NOT NULL
  );
  `;
}

function eventTables(s: string): string {
  return `
  CREATE TABLE ${s}.event (
    conversation bigint NOT NULL REFERENCES ${s}.conversation (key) ON DELETE CASCADE,
    seq bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    parent_id text COLLATE "C",
    text text COLLATE "C" NOT NULL,
    bytes bigint NOT NULL DEFAULT 0,
    blobs integer,
    seal bytea,
    PRIMARY KEY (conversation, seq),
    UNIQUE (conversation, id)
  );
  CREATE INDEX event_without_seal ON ${s}.event (conversation, seq) WHERE seal IS NULL;
  CREATE TABLE ${s}.blob (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sha256 bytea NOT NULL UNIQUE,
    text text COLLATE "C" NOT NULL,
    CHECK (sha256 = pg_catalog.sha256(pg_catalog.convert_to(text, 'UTF8')))
  );
  CREATE TABLE ${s}.event_blob (
    conversation bigint NOT NULL,
    seq bigint NOT NULL,
    at integer NOT NULL,
    blob bigint NOT NULL REFERENCES ${s}.blob (key),
    PRIMARY KEY (conversation, seq, at),
    FOREIGN KEY (conversation, seq) REFERENCES ${s}.event (conversation, seq) ON DELETE CASCADE
  );
  CREATE INDEX event_blob_by_blob ON ${s}.event_blob (blob);
  CREATE FUNCTION ${s}.delete_unused_blob() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp AS $$
  BEGIN
    PERFORM 1 FROM ${s}.blob WHERE key = OLD.blob FOR UPDATE;
    DELETE FROM ${s}.blob
    WHERE key = OLD.blob AND NOT EXISTS (SELECT 1 FROM ${s}.event_blob WHERE event_blob.blob = OLD.blob);
    RETURN NULL;
  END $$;
  CREATE TRIGGER blob_unused AFTER DELETE ON ${s}.event_blob
    FOR EACH ROW EXECUTE FUNCTION ${s}.delete_unused_blob();
  `;
}

function statementTables(s: string): string {
  return `
  CREATE TABLE ${s}.statement (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation bigint NOT NULL REFERENCES ${s}.conversation (key) ON DELETE CASCADE,
    seq bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    json text COLLATE "C" NOT NULL
  );
  CREATE INDEX statement_by_event ON ${s}.statement (conversation, seq);
  CREATE TABLE ${s}.quarantine (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation bigint NOT NULL REFERENCES ${s}.conversation (key) ON DELETE CASCADE,
    at bigint NOT NULL,
    json text COLLATE "C" NOT NULL
  );
  CREATE INDEX quarantine_by_conversation ON ${s}.quarantine (conversation, number);
  `;
}

function derivedTables(s: string): string {
  return `
  CREATE TABLE ${s}.snapshot (
    number bigint GENERATED ALWAYS AS IDENTITY,
    conversation bigint NOT NULL REFERENCES ${s}.conversation (key) ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    state text COLLATE "C" NOT NULL,
    PRIMARY KEY (conversation, name, seq)
  );
  CREATE TABLE ${s}.fact (
    name text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    conversation bigint NOT NULL,
    PRIMARY KEY (name, value, conversation_id, seq),
    FOREIGN KEY (conversation, seq) REFERENCES ${s}.event (conversation, seq) ON DELETE CASCADE
  );
  CREATE INDEX fact_by_event ON ${s}.fact (conversation, seq);
  `;
}

/** Schema of a store in a database. */
export interface SchemaTarget {
  /** Name, without quotes. */
  readonly schema: string;
  /** Name of the store for messages. */
  readonly label: string;
  /** False for a schema that must have tables already. */
  readonly creates: boolean;
}

/** Runs `work` in a transaction. */
export type Transaction = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

/**
 * Migrates the schema to the newest version, in one transaction under an advisory lock, so that one of several
 * processes does it. A role without the right to create tables can use a schema that has this version, or the next one.
 *
 * @throws {StorageError} `invalid` for tables of another application, of a version above the next one, or of one that
 * live processes use and that is more than one step behind; `missing`, `io`.
 */
export async function migrate(transaction: Transaction, target: SchemaTarget, steps = migrations): Promise<void> {
  const version = await transaction(async (session) => versionOf(session, target, steps.length));
  if (version !== undefined && version >= steps.length) return;
  if (version === undefined && !target.creates) {
    throw new StorageError('missing', `The schema ${target.schema} of ${target.label} has no tables.`);
  }
  await transaction(async (session) => {
    await session.query(`SELECT pg_advisory_xact_lock(hashtext('varve'), hashtext($1))`, [target.schema]);
    await runSteps(session, target, steps);
  });
}

async function runSteps(session: Session, target: SchemaTarget, steps: typeof migrations): Promise<void> {
  const s = quoted(target.schema);
  const version = await versionOf(session, target, steps.length);
  if (version === undefined) {
    const [row] = await session.query('SELECT to_regnamespace($1) AS name', [s]);
    if (row?.['name'] === null) await session.query(`CREATE SCHEMA ${s}`);
    await session.query(`CREATE TABLE ${s}.migration (version integer PRIMARY KEY)`);
  } else if (version < steps.length - 1) {
    await checkUnused(session, target, { version, next: steps.length });
  }
  // With a weaker lock of a step, an opening would wait for it, and a later step for the opening.
  if (version !== undefined) await session.query(`LOCK TABLE ${s}.conversation IN ACCESS EXCLUSIVE MODE`);
  for (const [index, step] of steps.entries()) {
    if (index < (version ?? 0)) continue;
    await session.query(step(s));
    await session.query(`INSERT INTO ${s}.migration (version) VALUES (${index + 1})`);
  }
  // Without statistics of the index of statuses, listings of rare ones read all conversations.
  await session.query(`ANALYZE ${s}.meta`);
}

/** Rejects steps after which live processes could not use the tables. @throws {StorageError} `invalid`. */
async function checkUnused(
  session: Session,
  { schema, label }: SchemaTarget,
  { version, next }: { readonly version: number; readonly next: number },
): Promise<void> {
  const s = quoted(schema);
  const aliveUntil = `(SELECT alive_until FROM ${s}.process WHERE name = lease_holder)`;
  const until = version < 5 ? 'lease_until' : `coalesce(${aliveUntil}, lease_until)`;
  const [used] = await session.query(
    `SELECT 1 FROM ${s}.conversation WHERE lease_host IS NOT NULL AND ${until} > ${s}.now_ms() LIMIT 1`,
  );
  if (!used) return;
  const problem = `has schema version ${version} and is in use by processes that cannot use version ${next}`;
  throw new StorageError('invalid', `${label} ${problem}.`);
}

/** Returns the version of a schema; `undefined` for one without tables. */
async function versionOf(session: Session, target: SchemaTarget, known: number): Promise<number | undefined> {
  const { schema, label } = target;
  const [owned] = await session.query(
    `SELECT count(*) AS tables, count(*) FILTER (WHERE relname = 'migration') AS ours FROM pg_catalog.pg_class
     WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p')`,
    [quoted(schema)],
  );
  if (Number(owned?.['tables'] ?? 0) === 0) return undefined;
  if (Number(owned?.['ours']) === 0) throw otherApplication(target);
  const version = await readVersion(session, target);
  if (version <= known + 1) return version;
  throw new StorageError('invalid', `${label} has schema version ${version}, newer than the ${known} known here.`);
}

async function readVersion(session: Session, target: SchemaTarget): Promise<number> {
  try {
    const [row] = await session.query(`SELECT max(version) AS version FROM ${quoted(target.schema)}.migration`);
    return Number(row?.['version'] ?? 0);
  } catch (error) {
    // A table of this name without the column.
    if (error instanceof DatabaseFailure && error.state === '42703') throw otherApplication(target);
    throw error;
  }
}

function otherApplication({ schema, label }: SchemaTarget): StorageError {
  return new StorageError('invalid', `The schema ${schema} of ${label} has tables of another application.`);
}
