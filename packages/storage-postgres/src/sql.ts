import type { CountQuery } from '@varve/storage/kit';

/** Quotes the name of a PostgreSQL schema. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Every SQL statement of the store, except those of `append.ts`. Parameters are positional. */
export type Sql = ReturnType<typeof sqlOf>;

/** Builds the statements for a PostgreSQL schema. */
export function sqlOf(schema: string) {
  const s = quoted(schema);
  return {
    schema: s,
    ...conversationSql(s),
    ...leaseSql(s),
    ...recordSql(s),
    ...eventSql(s),
    ...factSql(s),
    ...proofSql(s),
    ...summarySql(s),
    ...snapshotSql(s),
  } as const;
}

function conversationSql(s: string) {
  // Columns are named: a prepared `SELECT *` fails when a newer version adds one.
  const conversations = `
    SELECT key, id, head, seal, lease_epoch, lease_host, lease_pid, lease_boot, lease_address,
      ${leaseUntil(s)} AS lease_until, ${s}.now_ms() AS now
    FROM ${s}.conversation`;
  return {
    conversation: `${conversations} WHERE id = $1`,
    lockConversation: `${conversations} WHERE id = $1 FOR UPDATE`,
    logState: `SELECT head, seal, lease_epoch FROM ${s}.conversation WHERE key = $1`,
    heads: `SELECT key, head FROM ${s}.conversation WHERE key = ANY ($1::bigint[])`,
    lockLogState: `SELECT head, seal, lease_epoch FROM ${s}.conversation WHERE key = $1 FOR UPDATE`,
    insertConversation: `
      INSERT INTO ${s}.conversation (id, created_at, updated_at, owner)
      SELECT $1, now, now, $2 FROM ${s}.now_ms() AS now ON CONFLICT (id) DO NOTHING RETURNING key`,
    removeConversation: `DELETE FROM ${s}.conversation WHERE key = $1`,
    setHead: `UPDATE ${s}.conversation SET head = $1, seal = $2, updated_at = ${s}.now_ms() WHERE key = $3`,
    setSeal: `UPDATE ${s}.conversation SET seal = $1 WHERE key = $2`,
    insertMeta: `INSERT INTO ${s}.meta (conversation, json) VALUES ($1, $2)`,
  } as const;
}

function leaseSql(s: string) {
  return {
    takeLease: `
      UPDATE ${s}.conversation SET lease_epoch = lease_epoch + 1, lease_holder = $1, lease_host = $2, lease_pid = $3,
        lease_boot = $4, lease_address = $5, lease_until = ${s}.now_ms() + $6 WHERE key = $7 RETURNING lease_epoch`,
    releaseLease: `UPDATE ${s}.conversation SET ${noLease} WHERE key = $1 AND lease_epoch = $2`,
    endLease: `UPDATE ${s}.conversation SET ${noLease}, lease_epoch = lease_epoch + 1 WHERE key = $1`,
    ownLease: `SELECT key, lease_epoch FROM ${s}.conversation WHERE id = $1 AND lease_holder = $2`,
    leaveLease: `${leaving(s, 'updated_at')} WHERE key = $1 AND lease_epoch = $2`,
    abandon: `${abandoning(s, 'coalesce($2::bigint, updated_at)')} AND id = $1`,
    // Each part has an index.
    abandonRunning: `${abandoning(s, 'updated_at')} AND key IN (
        SELECT conversation FROM ${s}.meta WHERE ${s}.status_in(json) = 'running'
        UNION ALL SELECT conversation FROM ${s}.meta WHERE json LIKE '%"goal":"running"%')`,
    beat: `
      INSERT INTO ${s}.process (name, host, pid, boot, alive_until)
      SELECT $1, $2, $3, $4, now + $5 FROM ${s}.now_ms() AS now
      ON CONFLICT (name) DO UPDATE SET alive_until = excluded.alive_until`,
    forgetProcesses: `DELETE FROM ${s}.process WHERE alive_until < ${s}.now_ms() - $1::bigint`,
    // Each name of an index of many conversations, with the row of its process.
    holders: `
      WITH RECURSIVE holder AS (
        SELECT min(${leaseName}) AS name FROM ${s}.conversation WHERE lease_host IS NOT NULL
        UNION ALL
        SELECT (SELECT min(${leaseName}) FROM ${s}.conversation WHERE lease_host IS NOT NULL AND ${leaseName} > name)
        FROM holder WHERE name IS NOT NULL)
      SELECT holder.name, host, pid, boot, alive_until AS until, ${s}.now_ms() AS now
      FROM holder LEFT JOIN ${s}.process USING (name) WHERE holder.name IS NOT NULL`,
    endedLeases: endedLeasesSql(s),
  } as const;
}

/**
 * Returns the query of conversations whose leases have ended. Those of programs without an address, which may be no
 * replicas, are last. Of the others, the oldest of the owner with the fewest runs is first; what runs is read only if
 * several owners wait.
 */
function endedLeasesSql(s: string): string {
  const isEnded = `(lease_host IS NOT NULL AND ${leaseName} = ANY ($1::text[]))`;
  return `
  WITH ended AS (
    SELECT *, CASE lease_host WHEN '' THEN lease_until ELSE updated_at END AS since
    FROM ${s}.conversation WHERE ${isEnded}), active AS (
    SELECT owner, count(*) AS runs FROM ${s}.meta JOIN ${s}.conversation ON key = meta.conversation
    WHERE (SELECT count(DISTINCT owner) > 1 FROM ended) AND ${s}.status_in(json) = 'running'
      AND lease_host IS NOT NULL AND NOT ${isEnded} GROUP BY owner)
  SELECT id, lease_host, lease_pid, lease_boot, ${leaseUntil(s)} AS lease_until, ${s}.now_ms() AS now
  FROM ended LEFT JOIN active USING (owner)
  ORDER BY lease_address IS NULL AND lease_host <> '',
    coalesce(runs, 0) + row_number() OVER (PARTITION BY owner ORDER BY since), since`;
}

function recordSql(s: string) {
  return {
    record: `SELECT text, version FROM ${s}.record WHERE name = $1`,
    recordVersion: `SELECT version FROM ${s}.record WHERE name = $1`,
    recordNames: `SELECT name FROM ${s}.record WHERE name >= $1 AND name < $2 ORDER BY name`,
    writeRecord: `
      INSERT INTO ${s}.record (name, text, version) VALUES ($1, $2, 1)
      ON CONFLICT (name) DO UPDATE SET text = excluded.text, version = record.version + 1
      WHERE $3::bigint IS NULL OR record.version = $3 RETURNING version`,
    lockRecord: `SELECT pg_advisory_xact_lock(hashtext(${literal(s)}), hashtext($1))`,
    removeRecord: `DELETE FROM ${s}.record WHERE name = $1`,
  } as const;
}

function eventSql(s: string) {
  return {
    eventCount: `
      SELECT head, count(event.seq) AS count, min(event.seq) AS first, max(event.seq) AS last
      FROM ${s}.conversation LEFT JOIN ${s}.event ON event.conversation = key WHERE key = $1 GROUP BY key`,
    seqs: `SELECT seq FROM ${s}.event WHERE conversation = $1 ORDER BY seq`,
    seqById: `SELECT seq FROM ${s}.event WHERE conversation = $1 AND id = $2`,
    // Ends with the event that reaches the limit of bytes.
    events: withStrings(
      s,
      `
      SELECT * FROM (
        SELECT *, sum(bytes) OVER (ORDER BY seq) - bytes AS before FROM (
          SELECT * FROM ${s}.event WHERE conversation = $1 AND seq >= $2 AND seq < $3 ORDER BY seq LIMIT $4
        ) AS range) AS sized
      WHERE before < $5`,
    ),
    eventsById: withStrings(s, `SELECT * FROM ${s}.event WHERE conversation = $1 AND id = ANY ($2::text[])`),
    setText: `UPDATE ${s}.event SET text = $1, blobs = $2 WHERE conversation = $3 AND seq = $4`,
    deleteEvents: `DELETE FROM ${s}.event WHERE conversation = $1 AND (seq >= $2 OR seq < 0)`,
    insertString: `
      WITH stored AS (
        INSERT INTO ${s}.blob (sha256, text) VALUES ($5, $4)
        ON CONFLICT (sha256) DO UPDATE SET sha256 = excluded.sha256 RETURNING key)
      INSERT INTO ${s}.event_blob (conversation, seq, at, blob) SELECT $1, $2, $3, key FROM stored`,
    deleteStrings: `DELETE FROM ${s}.event_blob WHERE conversation = $1 AND seq = $2`,
    deleteFacts: `DELETE FROM ${s}.fact WHERE conversation = $1 AND seq = $2`,
  } as const;
}

function factSql(s: string) {
  return {
    insertFact: `
      INSERT INTO ${s}.fact (name, value, conversation_id, seq, conversation) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT DO NOTHING`,
    facts: `
      SELECT value, conversation_id AS conversation, seq FROM ${s}.fact
      WHERE name = $1 AND (value, conversation_id, seq) > ($2, $3, $4) ORDER BY value, conversation_id, seq LIMIT $5`,
    factsOfValue: `
      SELECT value, conversation_id AS conversation, seq FROM ${s}.fact
      WHERE name = $1 AND value = $2 AND (conversation_id, seq) > ($3, $4) ORDER BY conversation_id, seq LIMIT $5`,
  } as const;
}

function proofSql(s: string) {
  return {
    firstUnsealed: `SELECT seq FROM ${s}.event WHERE conversation = $1 AND seal IS NULL ORDER BY seq LIMIT 1`,
    sealOf: `SELECT seal FROM ${s}.event WHERE conversation = $1 AND seq = $2`,
    sealEvents: `
      UPDATE ${s}.event SET seal = sealed.seal FROM unnest($2::bigint[], $3::bytea[]) AS sealed (seq, seal)
      WHERE conversation = $1 AND event.seq = sealed.seq`,
    seals: `
      SELECT seq, seal FROM ${s}.event
      WHERE conversation = $1 AND seq >= $2 AND seq < $3 AND seal IS NOT NULL ORDER BY seq LIMIT $4`,
    insertStatement: `INSERT INTO ${s}.statement (conversation, seq, kind, json) VALUES ($1, $2, $3, $4)`,
    statements: `
      SELECT seq, json FROM ${s}.statement WHERE conversation = $1 AND seq >= $2 AND seq < $3 ORDER BY seq, number`,
    allStatements: `SELECT number, seq, json FROM ${s}.statement WHERE conversation = $1 ORDER BY number`,
    deleteStatement: `DELETE FROM ${s}.statement WHERE number = $1`,
    deleteStatements: `DELETE FROM ${s}.statement WHERE conversation = $1 AND seq >= $2 AND kind <> 'cut'`,
    deleteCheckpoints: `DELETE FROM ${s}.statement WHERE conversation = $1 AND seq >= $2 AND kind = 'checkpoint'`,
    quarantined: `
      SELECT number, json FROM ${s}.quarantine WHERE conversation = $1 AND number > $2 ORDER BY number LIMIT 1`,
    setQuarantined: `UPDATE ${s}.quarantine SET json = $1 WHERE number = $2`,
    insertQuarantined: `INSERT INTO ${s}.quarantine (conversation, at, json) VALUES ($1, $2, $3)`,
    quarantineStatements: `
      INSERT INTO ${s}.quarantine (conversation, at, json)
      SELECT conversation, $1, json FROM ${s}.statement
      WHERE conversation = $2 AND seq >= $3 AND kind <> 'cut' ORDER BY number`,
  } as const;
}

function summarySql(s: string) {
  const summaries = `
    SELECT id, created_at, updated_at, head, owner, meta.json AS meta
    FROM ${s}.conversation JOIN ${s}.meta ON meta.conversation = key`;
  return {
    summary: `${summaries} WHERE id = $1`,
    selectSummaries: (condition: string) => `${summaries} ${condition}`,
    statusIn: `${s}.status_in(json)`,
    // Only the tables that are used are read.
    countConversations(conditions: readonly string[], { statuses, owner }: CountQuery) {
      const owned = `${s}.conversation${statuses ? ` JOIN ${s}.meta ON meta.conversation = key` : ''}`;
      const tables = statuses && owner === undefined ? `${s}.meta` : owned;
      return `SELECT count(*) AS count FROM ${tables} WHERE ${['true', ...conditions].join(' AND ')}`;
    },
  } as const;
}

function snapshotSql(s: string) {
  return {
    latestSnapshot: `
      SELECT seq, state FROM ${s}.snapshot
      WHERE conversation = $1 AND name = $2 AND seq <= $3 ORDER BY seq DESC LIMIT 1`,
    snapshotAfter: `
      SELECT number, name, seq, state FROM ${s}.snapshot
      WHERE conversation = $1 AND number > $2 ORDER BY number LIMIT 1`,
    // A snapshot of a holder that was overtaken could be one of events that a cut removed.
    saveSnapshot: `
      WITH old AS (
        DELETE FROM ${s}.snapshot WHERE conversation = $1 AND name = $3 AND seq NOT IN (
          SELECT seq FROM ${s}.snapshot WHERE conversation = $1 AND name = $3 ORDER BY seq DESC LIMIT $6))
      INSERT INTO ${s}.snapshot (conversation, name, seq, state)
      SELECT key, $3, $4, $5 FROM ${s}.conversation WHERE key = $1 AND lease_epoch = $2
      ON CONFLICT (conversation, name, seq) DO UPDATE SET state = excluded.state`,
    deleteSnapshotsAfter: `DELETE FROM ${s}.snapshot WHERE conversation = $1 AND seq > $2`,
  } as const;
}

// An append whose reply was lost may set the end of a released lease.
/** Sets a lease of no process, which everything may take, with the time since which its run waits. */
const leaving = (s: string, since: string): string => `
  UPDATE ${s}.conversation SET lease_holder = NULL, lease_host = '', lease_pid = 0, lease_boot = '',
    lease_address = NULL, lease_until = ${since}`;
const abandoning = (s: string, since: string): string => `${leaving(s, since)} WHERE lease_host IS NULL`;

/** Name of the process of a lease; empty for that of no process. */
const leaseName = "coalesce(lease_holder, '')";

/** The end of a lease of a conversation. */
const leaseUntil = (s: string): string =>
  `coalesce((SELECT alive_until FROM ${s}.process WHERE process.name = lease_holder), lease_until)`;

const noLease =
  'lease_holder = NULL, lease_host = NULL, lease_pid = NULL, lease_boot = NULL, lease_address = NULL, lease_until = NULL';

/** Quotes a text. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Selects events, each followed by its long strings, in order of seq and position. */
function withStrings(s: string, selection: string): string {
  return `
    WITH page AS (${selection})
    SELECT seq, NULL AS at, id, kind, parent_id, text, blobs, seal FROM page
    UNION ALL
    SELECT page.seq, event_blob.at, NULL, NULL, NULL, blob.text, NULL, NULL
    FROM page JOIN ${s}.event_blob ON event_blob.conversation = page.conversation AND event_blob.seq = page.seq
      JOIN ${s}.blob ON blob.key = event_blob.blob
    WHERE page.blobs IS NOT NULL
    ORDER BY seq, at NULLS FIRST`;
}
