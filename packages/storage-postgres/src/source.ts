import { type EventProof, type LogProof, StorageError, type Stored } from '@varve/storage';
import { checkLogOpen, isStorable, type LogSource, mergeProof, sealText, toStatements } from '@varve/storage/kit';
import type { Connection } from './connection.ts';
import type { Query, Row } from './session.ts';
import { type ConversationKey, type EventRange, findEvents, toStored } from './events.ts';
import { findLoss } from './intact.ts';
import { toConversation } from './rows.ts';

/** A conversation to read until `closed` aborts. */
export interface ReadOptions extends ConversationKey {
  readonly closed: AbortSignal;
}

/** Creates the source of a conversation's reader, with its proof. */
export function logSource(connection: Connection, options: ReadOptions): LogSource & { readonly proof: LogProof } {
  const { sql, wake } = connection;
  const { id, key, closed } = options;
  const query: Query = async (text, values) => {
    checkLogOpen(id, closed);
    return connection.read(text, values);
  };
  return {
    id,
    head: async () => toConversation(await stateOf(query, connection, options)).head,
    loss: async () => findLoss(query, connection, { id, key }),
    page: async (from, to) => readPage(query, connection, { id, key, from, to }),
    async seqOf(eventId) {
      const [row] = isStorable(eventId) ? await query(sql.seqById, [key, eventId]) : [];
      return row && Number(row['seq']);
    },
    arm: () => wake.arm(key),
    closed,
    proof: logProof(query, connection, options),
  };
}

async function stateOf(query: Query, { sql }: Connection, { id, key }: ConversationKey): Promise<Row> {
  const [row] = await query(sql.logState, [key]);
  if (row) return row;
  throw new StorageError('missing', `Conversation ${id} was removed.`);
}

/** Reads up to the first unreadable event. Rejects only if that event is the first. */
async function readPage(
  query: Query,
  connection: Connection,
  { id, key, from, to }: EventRange & ConversationKey,
): Promise<readonly Stored[]> {
  const events = await findEvents(query, connection, { key, from, to });
  const unreadable = events.findIndex(({ blobs, strings }) => strings.length !== blobs);
  return events.slice(0, unreadable > 0 ? unreadable : undefined).map((event) => toStored(id, event));
}

const sealsPerPage = 256;

function logProof(query: Query, connection: Connection, { id, key }: ConversationKey): LogProof {
  const { sql } = connection;
  return {
    quarantine: () => readQuarantine(query, sql.quarantined, key),
    snapshots: () => readSnapshots(query, sql.snapshotAfter, key),
    async page(from, to): Promise<readonly EventProof[]> {
      const rows = await query(sql.seals, [key, from, to, sealsPerPage]);
      const seals = rows.map(({ seq, seal }) => ({ seq: Number(seq), seal: sealText(seal) ?? '' }));
      const last = seals.at(-1);
      const end = last && seals.length === sealsPerPage ? last.seq + 1 : to;
      const stated = await query(sql.statements, [key, from, end]);
      return mergeProof(seals, toStatements(id, stated));
    },
    async end() {
      const { head, seal } = toConversation(await stateOf(query, connection, { id, key }));
      // Without the seal of the conversation the end is not known: any other seal differs from that.
      return head > 0 ? { head, seal: sealText(seal) ?? '' } : undefined;
    },
  };
}

async function* readQuarantine(query: Query, text: string, key: number): AsyncGenerator<string> {
  for await (const { json } of readRows(query, text, key)) yield String(json);
}

type Snapshots = ReturnType<NonNullable<LogProof['snapshots']>> extends AsyncIterable<infer Item> ? Item : never;

async function* readSnapshots(query: Query, text: string, key: number): AsyncGenerator<Snapshots> {
  for await (const { name, seq, state } of readRows(query, text, key)) {
    yield { name: String(name), seq: Number(seq), text: String(state) };
  }
}

/** Yields rows, each read by itself: the first, then the one after the `number` of the last. */
async function* readRows(query: Query, text: string, key: number): AsyncGenerator<Row> {
  for (let number = 0; ;) {
    const [row] = await query(text, [key, number]);
    if (!row) return;
    yield row;
    number = Number(row['number']);
  }
}
