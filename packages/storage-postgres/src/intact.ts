import { type LogLoss, StorageError, type Unsealed } from '@varve/storage';
import { digestOf, firstSeal, nextSeal, rowLoss, sealBytes, sealText } from '@varve/storage/kit';
import type { Connection } from './connection.ts';
import type { Query, Session } from './session.ts';
import { findEvents, toStored } from './events.ts';
import type { CheckedConversation } from './rows.ts';

// An append stores its events with their seals in one statement, so an event without a row or a seal lost it.

/** Finds the loss of event rows; `undefined` if there is exactly one for each event. */
export async function findLoss(
  query: Query,
  { sql }: Pick<Connection, 'sql'>,
  { key, id }: Pick<CheckedConversation, 'key' | 'id'>,
): Promise<LogLoss | undefined> {
  const [row] = await query(sql.eventCount, [key]);
  if (!row) throw new StorageError('missing', `Conversation ${id} was removed.`);
  const { head, count, first, last } = row as {
    head: number;
    count: number;
    first: number | null;
    last: number | null;
  };
  if (count === head && (first ?? 0) === 0 && (last ?? -1) === head - 1) return undefined;
  const rows = await query(sql.seqs, [key]);
  return rowLoss({ id, head, seqs: rows.map(({ seq }) => Number(seq)) });
}

/** Rejects a log that lost events or seals; in a transaction. @throws {StorageError} `incomplete`, `unsealed`. */
export async function checkIntact(
  { query }: Session,
  connection: Connection,
  conversation: CheckedConversation,
): Promise<void> {
  await checkComplete(query, connection, conversation);
  const { id, head } = conversation;
  const seq = await firstUnsealed(query, connection, conversation);
  if (head === 0 || (seq === head && (await hasLastSeal(query, connection, conversation)))) return;
  const range = seq < head ? `events ${seq} to ${head - 1} are missing` : `events 0 to ${head - 1} were replaced`;
  throw new StorageError('unsealed', `The seals of ${range} in the proof of conversation ${id}.`);
}

/** Seals the events that lost their seals, as they are now; in a transaction. @see ProofWriter.acceptUnsealed */
export async function acceptUnsealed(
  { query }: Session,
  connection: Connection,
  conversation: CheckedConversation & { readonly at: number },
): Promise<Unsealed | undefined> {
  await checkComplete(query, connection, conversation);
  const { key, head, at } = conversation;
  const first = await firstUnsealed(query, connection, conversation);
  if (head === 0 || (first === head && (await hasLastSeal(query, connection, conversation)))) return undefined;
  // If every event has a seal, but not that of the conversation, any of them may have been changed.
  const seq = first === head ? 0 : first;
  await sealFrom(query, connection, conversation, seq);
  await query(connection.sql.deleteCheckpoints, [key, seq]);
  const accepted: Unsealed = { kind: 'unsealed', seq, end: head, cause: 'accepted', at };
  await query(connection.sql.insertStatement, [key, seq, accepted.kind, JSON.stringify(accepted)]);
  return accepted;
}

async function checkComplete(query: Query, connection: Connection, conversation: CheckedConversation): Promise<void> {
  const loss = await findLoss(query, connection, conversation);
  if (loss) throw new StorageError('incomplete', loss.message);
}

async function hasLastSeal(query: Query, { sql }: Connection, conversation: CheckedConversation): Promise<boolean> {
  const { key, head, seal } = conversation;
  const [row] = await query(sql.sealOf, [key, head - 1]);
  const last = sealText(row?.['seal']);
  return last !== undefined && last === sealText(seal);
}

/** Returns the seq of the first event without a seal, or the head. */
async function firstUnsealed(query: Query, { sql }: Connection, { key, head }: CheckedConversation): Promise<number> {
  const [row] = await query(sql.firstUnsealed, [key]);
  return Number(row?.['seq'] ?? head);
}

async function sealFrom(
  query: Query,
  connection: Connection,
  { key, id, head }: CheckedConversation,
  from: number,
): Promise<void> {
  const [before] = from === 0 ? [] : await query(connection.sql.sealOf, [key, from - 1]);
  let last = sealText(before?.['seal']) ?? firstSeal(id);
  for (let next = from; next < head;) {
    const page = (await findEvents(query, connection, { key, from: next, to: head })).map((event) =>
      toStored(id, event),
    );
    const seals = page.map((event) => (last = nextSeal(last, digestOf(event))));
    await query(connection.sql.sealEvents, [key, page.map(({ seq }) => seq), seals.map(sealBytes)]);
    next += page.length;
  }
  await query(connection.sql.setSeal, [sealBytes(last), key]);
}
