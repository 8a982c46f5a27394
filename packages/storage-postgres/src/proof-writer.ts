import { type LogProof, type ProofWriter, StorageError } from '@varve/storage';
import {
  checkBound,
  checkLogOpen,
  checkReplacements,
  factsOf,
  joinText,
  sealText,
  statementOf,
} from '@varve/storage/kit';
import type { Session } from './session.ts';
import { columnsOf, findEvents, type FoundEvent, toEvents, toStored } from './events.ts';
import { acceptUnsealed } from './intact.ts';
import { type LeasedConversation, lockLease } from './lease.ts';
import type { LogState } from './rows.ts';

/** Dependencies of a proof writer that its log provides. */
export interface ProofWriterContext {
  readonly proof: LogProof;
  /** Aborts when the log is disposed. */
  readonly closed: AbortSignal;
  /** Runs work after the appends that were called before. */
  readonly queue: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Creates the proof writer of a conversation whose lease is held. */
export function proofWriter(conversation: LeasedConversation, context: ProofWriterContext): ProofWriter {
  const { id, connection, lease, now } = conversation;
  const { key } = lease;
  const change = async <T>(work: (session: Session, state: LogState) => Promise<T>): Promise<T> => {
    checkLogOpen(id, context.closed);
    return context.queue(async () =>
      connection.transaction(async (session) => work(session, await lockLease(session, conversation))),
    );
  };
  return {
    ...context.proof,
    async cut(seq) {
      checkLogOpen(id, context.closed);
      checkBound('cut', seq);
      const made = await change(async (session, { head }) => {
        if (seq > head) throw new StorageError('invalid', `Conversation ${id} ends before event ${seq}.`);
        return cutOff(session, conversation, { seq, end: head });
      });
      connection.wake.fire(key);
      return made;
    },
    acceptUnsealed: async () =>
      change(async (session, state) => acceptUnsealed(session, connection, { id, key, ...state, at: now() })),
    quarantineMalformed: async () => change(async (session) => quarantineMalformed(session, conversation)),
    replace: async (replacements) => change(async (session) => replaceTexts(session, conversation, replacements)),
    maskQuarantine: async (mask) => change(async (session) => maskQuarantined(session, conversation, mask)),
  };
}

async function cutOff(
  { query }: Session,
  { connection: { sql }, lease: { key }, now }: LeasedConversation,
  { seq, end }: { readonly seq: number; readonly end: number },
) {
  const at = now();
  const cut = { kind: 'cut', seq, end, cause: 'repaired', at } as const;
  const quarantine = async (from: number, to: number): Promise<void> => {
    for (let next = from; ;) {
      const page = await findEvents(query, { sql }, { key, from: next, to });
      for (const event of page) await query(sql.insertQuarantined, [key, at, quarantineText(event)]);
      const last = page.at(-1);
      if (!last) return;
      next = last.seq + 1;
    }
  };
  // Rows with a negative seq are part of no log.
  await quarantine(Number.MIN_SAFE_INTEGER, 0);
  await quarantine(seq, Number.MAX_SAFE_INTEGER);
  await query(sql.quarantineStatements, [at, key, seq]);
  await query(sql.deleteEvents, [key, seq]);
  await query(sql.deleteStatements, [key, seq]);
  await query(sql.deleteSnapshotsAfter, [key, seq]);
  const [before] = await query(sql.sealOf, [key, seq - 1]);
  await query(sql.setHead, [seq, before?.['seal'] ?? null, key]);
  await query(sql.insertStatement, [key, seq, cut.kind, JSON.stringify(cut)]);
  return cut;
}

/** Returns the event with its text, or, if long strings are lost, the parts that remain. */
function quarantineText({ seq, id, kind, parentId, rest, blobs, strings, seal }: FoundEvent): string {
  const text = strings.length === blobs ? { text: joinText({ rest, strings }) } : { rest, strings };
  return JSON.stringify({ seq, id, kind, parent_id: parentId ?? null, ...text, seal: sealText(seal) ?? '' });
}

async function quarantineMalformed(
  { query }: Session,
  { connection: { sql }, lease: { key }, now }: LeasedConversation,
): Promise<number> {
  const malformed = (await query(sql.allStatements, [key])).filter((row) => !statementOf(row));
  for (const { number, seq, json } of malformed) {
    await query(sql.insertQuarantined, [key, now(), JSON.stringify({ seq, statement: json })]);
    await query(sql.deleteStatement, [number]);
  }
  return malformed.length;
}

async function replaceTexts(
  { query }: Session,
  { id, connection: { sql }, lease: { key } }: LeasedConversation,
  replacements: Parameters<ProofWriter['replace']>[0],
): Promise<void> {
  for (const replacement of replacements) {
    const { tombstone, text } = replacement;
    const { seq } = tombstone;
    const [row] = toEvents(await query(sql.events, [key, seq, seq + 1, 1, 1]));
    const event = row && toStored(id, row);
    checkReplacements(id, [replacement], () => event);
    const { columns, strings } = columnsOf({ seq, text });
    await query(sql.deleteStrings, [key, seq]);
    await query(sql.setText, [columns.text, columns.blobs, key, seq]);
    for (const { at, string, sha256 } of strings) await query(sql.insertString, [key, seq, at, string, sha256]);
    await query(sql.deleteFacts, [key, seq]);
    for (const { name, value } of factsOf({ kind: event?.kind ?? '', text })) {
      await query(sql.insertFact, [name, value, id, seq, key]);
    }
    await query(sql.insertStatement, [key, seq, tombstone.kind, JSON.stringify(tombstone)]);
  }
  await query(sql.deleteSnapshotsAfter, [key, -1]);
}

async function maskQuarantined(
  { query }: Session,
  { connection: { sql }, lease: { key } }: LeasedConversation,
  mask: (text: string) => string,
): Promise<number> {
  let changed = 0;
  for (let number = 0; ;) {
    const [row] = await query(sql.quarantined, [key, number]);
    if (!row) return changed;
    number = Number(row['number']);
    const text = String(row['json']);
    const after = mask(text);
    if (after === text) continue;
    await query(sql.setQuarantined, [after, number]);
    changed += 1;
  }
}
