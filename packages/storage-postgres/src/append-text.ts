/** Names and types of the columns of each part of an append, in the order of the parameters. */
const columns = {
  target: columnsOf('key bigint, epoch bigint, head bigint, next bigint, seal bytea'),
  meta: columnsOf('json text'),
  blob: columnsOf('n bigint, sha256 bytea, text text'),
  string: columnsOf('seq bigint, at integer, sha256 bytea'),
  fact: columnsOf('key bigint, name text, value text, seq bigint'),
  statement: columnsOf('n bigint, key bigint, seq bigint, kind text, json text'),
  event: columnsOf(
    'key bigint, seq bigint, id text, kind text, parent_id text, text text, bytes bigint, blobs integer, seal bytea',
  ),
} as const;

function columnsOf(list: string): readonly { readonly name: string; readonly type: string }[] {
  return list.split(', ').map((column) => {
    const [name = '', type = ''] = column.split(' ');
    return { name, type };
  });
}

type Part = keyof typeof columns;

const parts = Object.keys(columns) as readonly Part[];

type Row = readonly unknown[];

/** Rows of each part. */
export type AppendRows = Readonly<Record<Part, readonly Row[]>>;

/** Text of a statement for numbers of rows. */
export interface AppendText {
  readonly sql: string;
  /** Returns the parameters after the first one, which is the duration of the lease. */
  readonly arrange: (rows: AppendRows) => readonly unknown[];
}

const texts = new Map<string, AppendText>();

/** Returns the statement for appends with these numbers of rows. Building it again took a quarter of an append. */
export function appendText(s: string, rows: AppendRows): AppendText {
  const shape = `${s} ${parts.map((part) => sizeOf(rows, part)).join(' ')}`;
  const text = texts.get(shape) ?? textOf(s, rows);
  texts.set(shape, text);
  return text;
}

/**
 * Number of rows up to which each value is a parameter. With `unnest`, which needs a function scan per column and whose
 * number of rows the planner does not know, one event took twice as long in the database, and 16 took 1.4 times.
 */
const maxSingleValues = 64;

/**
 * Returns the number of rows of a part in the statement, or `array` if there are too many. Rows of nulls, which match
 * no conversation, fill it up to a power of two: the number of different statements has a limit.
 */
function sizeOf(rows: AppendRows, part: Part): number | 'array' {
  const { length } = rows[part];
  if (length > maxSingleValues) return 'array';
  return length === 0 ? 0 : 2 ** Math.ceil(Math.log2(length));
}

function textOf(s: string, rows: AppendRows): AppendText {
  const tables = tablesOf(rows);
  return {
    sql: `WITH ${withParts(s, rows, tables).join(', ')} ${mainPart(s, tables)}`,
    arrange: (given) => parts.flatMap((part) => arranged(given, part)),
  };
}

function arranged(rows: AppendRows, part: Part): readonly unknown[] {
  const list = rows[part];
  const size = sizeOf(rows, part);
  if (size === 'array') return columns[part].map((_, at) => list.map((row) => row[at]));
  return [...list.flat(), ...Array.from({ length: (size - list.length) * columns[part].length }, () => null)];
}

/** Entries of a `FROM` clause by part: the table `new`. Parts without rows are absent. */
type Tables = Readonly<Partial<Record<Part, string>>>;

function tablesOf(rows: AppendRows): Tables {
  let place = 1;
  const tableOf = (part: Part): string => {
    const named = columns[part];
    const size = sizeOf(rows, part);
    const row = (suffix: string): string => named.map(({ type }) => `$${(place += 1)}::${type}${suffix}`).join(', ');
    const source =
      size === 'array'
        ? `unnest(${row('[]')})`
        : `(VALUES ${Array.from({ length: size }, () => `(${row('')})`).join(', ')})`;
    return `${source} AS new (${named.map(({ name }) => name).join(', ')})`;
  };
  return Object.fromEntries(parts.filter((part) => rows[part].length > 0).map((part) => [part, tableOf(part)]));
}

/** Everything but the events, which are inserted last. The fence is locked and updated first. */
function withParts(s: string, rows: AppendRows, tables: Tables): readonly string[] {
  const { target = '', meta, blob, string, fact, statement, event } = tables;
  return [
    `fence AS (
      UPDATE ${s}.conversation SET head = new.next, seal = new.seal, lease_until = ${s}.now_ms() + $1
        ${event || meta ? `, updated_at = ${s}.now_ms()` : ''}
      FROM ${rows.target.length > 1 ? unlocked(s, target) : target}
      WHERE conversation.key = new.key AND lease_epoch = new.epoch AND conversation.head = new.head
      RETURNING conversation.key, id)`,
    meta && `meta AS (UPDATE ${s}.meta SET json = new.json FROM fence, ${meta} WHERE conversation = fence.key)`,
    // A blob that exists is updated without a change, which waits for a transaction that deletes it, and keeps it from
    // being deleted.
    blob &&
      `blobs AS (
        INSERT INTO ${s}.blob (sha256, text) SELECT new.sha256, new.text FROM fence, ${blob}
        WHERE new.sha256 IS NOT NULL ORDER BY new.n
        ON CONFLICT (sha256) DO UPDATE SET sha256 = excluded.sha256 RETURNING key, sha256)`,
    string &&
      `strings AS (
        INSERT INTO ${s}.event_blob (conversation, seq, at, blob)
        SELECT fence.key, new.seq, new.at, blobs.key FROM fence, ${string} JOIN blobs ON blobs.sha256 = new.sha256)`,
    fact &&
      `facts AS (
        INSERT INTO ${s}.fact (name, value, conversation_id, seq, conversation)
        SELECT new.name, new.value, fence.id, new.seq, fence.key FROM fence JOIN ${fact} ON new.key = fence.key
        ON CONFLICT DO NOTHING)`,
    statement &&
      `statements AS (
        INSERT INTO ${s}.statement (conversation, seq, kind, json)
        SELECT new.key, new.seq, new.kind, new.json FROM fence JOIN ${statement} ON new.key = fence.key ORDER BY new.n)`,
  ].filter((part) => part !== undefined);
}

/** Selects the targets whose conversations no other transaction has locked. */
function unlocked(s: string, target: string): string {
  return `(
    SELECT new.* FROM ${target} JOIN ${s}.conversation AS found ON found.key = new.key
    WHERE found.lease_epoch = new.epoch AND found.head = new.head
    FOR NO KEY UPDATE OF found SKIP LOCKED) AS new`;
}

function mainPart(s: string, { event }: Tables): string {
  if (event === undefined) return 'SELECT key FROM fence';
  return `
    INSERT INTO ${s}.event (conversation, seq, id, kind, parent_id, text, bytes, blobs, seal)
    SELECT new.* FROM fence JOIN ${event} ON new.key = fence.key RETURNING conversation AS key`;
}
