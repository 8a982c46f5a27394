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
          UPDATE ${s}.conversation SET head = $4, seal = $5, updated_at = now, lease_until = now + $6
          FROM ${s}.now_ms() AS now WHERE key = $1 AND lease_epoch = $2 AND head = $3 RETURNING key, id)`
      : `fence AS (
          UPDATE ${s}.conversation SET lease_until = ${s}.now_ms() + $4
          WHERE key = $1 AND lease_epoch = $2 AND head = $3 RETURNING key, id)`,
  ];
  const seal = head + events.length === 0 ? null : sealBytes(last);
  const values: unknown[] = [key, epoch, head, ...(isChange ? [head + events.length, seal] : []), leaseMs];
  const add = (build: (place: (value: unknown) => string) => string): void => {
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
    add(
      (place) => `statements AS (
      INSERT INTO ${s}.statement (conversation, seq, kind, json)
      SELECT fence.key, new.seq, new.kind, new.json FROM fence, unnest(
        ${place(statements.map(({ seq }) => seq))}::bigint[], ${place(statements.map(({ kind }) => kind))}::text[],
        ${place(statements.map((one) => JSON.stringify(one)))}::text[]) WITH ORDINALITY AS new (seq, kind, json, n)
      ORDER BY new.n)`,
    );
  }
  return { sql: `WITH ${parts.join(', ')} SELECT key FROM fence`, values };
}

type Add = (build: (place: (value: unknown) => string) => string) => void;

function addEvents(s: string, events: readonly SealedNewEvent[], add: Add): void {
  const split = events.map(columnsOf);
  const texts = split.map(({ columns }) => columns);
  add(
    (place) => `events AS (
    INSERT INTO ${s}.event (conversation, seq, id, kind, parent_id, text, bytes, blobs, seal)
    SELECT fence.key, new.* FROM fence, unnest(
      ${place(events.map(({ seq }) => seq))}::bigint[], ${place(events.map(({ id }) => id))}::text[],
      ${place(events.map(({ kind }) => kind))}::text[], ${place(events.map((one) => one.parentId ?? null))}::text[],
      ${place(texts.map(({ text }) => text))}::text[], ${place(texts.map(({ bytes }) => bytes))}::bigint[],
      ${place(texts.map(({ blobs }) => blobs))}::integer[], ${place(events.map(({ seal }) => sealBytes(seal)))}::bytea[]
    ) AS new)`,
  );
  const strings = split.flatMap((one) => one.strings);
  if (strings.length > 0) addStrings(s, strings, add);
  const facts = events.flatMap((event) => factsOf(event).map((fact) => ({ ...fact, seq: event.seq })));
  if (facts.length === 0) return;
  add(
    (place) => `facts AS (
    INSERT INTO ${s}.fact (name, value, conversation_id, seq, conversation)
    SELECT new.name, new.value, fence.id, new.seq, fence.key FROM fence, unnest(
      ${place(facts.map(({ name }) => name))}::text[], ${place(facts.map(({ value }) => value))}::text[],
      ${place(facts.map(({ seq }) => seq))}::bigint[]) AS new (name, value, seq) ON CONFLICT DO NOTHING)`,
  );
}

/**
 * Adds the long strings: each once, under its SHA-256. A blob that exists is updated without a change, which waits for
 * a transaction that deletes it, and keeps it from being deleted. In one order, so that two appends do not wait for
 * each other.
 */
function addStrings(s: string, strings: readonly StoredString[], add: Add): void {
  const unique = new Map(strings.map((one) => [one.sha256.toString('hex'), one]));
  const blobs = [...unique].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, blob]) => blob);
  add(
    (place) => `blobs AS (
    INSERT INTO ${s}.blob (sha256, text)
    SELECT new.sha256, new.text FROM fence, unnest(
      ${place(blobs.map(({ sha256 }) => sha256))}::bytea[], ${place(blobs.map(({ string }) => string))}::text[]
    ) WITH ORDINALITY AS new (sha256, text, n) ORDER BY new.n
    ON CONFLICT (sha256) DO UPDATE SET sha256 = excluded.sha256 RETURNING key, sha256)`,
  );
  add(
    (place) => `strings AS (
    INSERT INTO ${s}.event_blob (conversation, seq, at, blob)
    SELECT fence.key, new.seq, new.at, blobs.key FROM fence, unnest(
      ${place(strings.map(({ seq }) => seq))}::bigint[], ${place(strings.map(({ at }) => at))}::integer[],
      ${place(strings.map(({ sha256 }) => sha256))}::bytea[]) AS new (seq, at, sha256)
    JOIN blobs ON blobs.sha256 = new.sha256)`,
  );
}
