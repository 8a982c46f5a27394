import { StorageError } from '../contract/error.ts';
import type { Unsealed } from '../contract/statement.ts';
import { digestOf, firstSeal, nextSeal } from '../proof/hash-chain.ts';
import { readEvents } from './events.ts';
import { type CheckedConversation, checkComplete } from './loss.ts';
import type { Statements } from './statements.ts';
import { sealBytes, sealText } from '../kit/rows.ts';

// An append seals its events in its transaction, so an event without a seal lost it, except in a log of a version
// without seals. All functions run in a transaction of the caller.

const pageLength = 256;

/** Rejects a log that lost events or seals. @throws {StorageError} `incomplete`, `unsealed`. */
export function checkIntact(statements: Statements, conversation: CheckedConversation, at: number): void {
  checkComplete(statements, conversation);
  checkSealed(statements, conversation, at);
}

/**
 * Seals a log of a version without seals, and records that.
 *
 * @throws {StorageError} `unsealed` for any other log with an event without a seal, or with another last seal than that
 * of the conversation.
 */
function checkSealed(statements: Statements, conversation: CheckedConversation, at: number): void {
  const { key, id, head, legacy } = conversation;
  const seq = firstUnsealed(statements, conversation);
  if (head === 0 || (seq === head && hasLastSeal(statements, conversation))) return;
  if (isLegacy(statements, conversation)) {
    sealFrom(statements, conversation, 0);
    record(statements, key, { kind: 'unsealed', seq: 0, end: head, cause: 'found', at });
    return;
  }
  const sealed = legacy === 0 ? head : Math.min(head, legacy);
  const range = seq < sealed ? `events ${seq} to ${sealed - 1}` : `events 0 to ${sealed - 1}`;
  const what = seq < sealed ? 'are missing in the proof' : 'were replaced in the proof';
  throw new StorageError('unsealed', `The seals of ${range} ${what} of conversation ${id}.`);
}

/** Seals the events that lost their seals, as they are now. @see ProofWriter.acceptUnsealed */
export function acceptUnsealed(
  statements: Statements,
  conversation: CheckedConversation,
  at: number,
): Unsealed | undefined {
  checkComplete(statements, conversation);
  const { key, head } = conversation;
  const first = firstUnsealed(statements, conversation);
  if (head === 0 || (first === head && hasLastSeal(statements, conversation))) return undefined;
  // If every event has a seal, but not that of the conversation, any of them may have been changed.
  const seq = first === head ? 0 : first;
  sealFrom(statements, conversation, seq);
  statements.deleteCheckpoints.run(key, seq);
  const accepted: Unsealed = { kind: 'unsealed', seq, end: head, cause: 'accepted', at };
  record(statements, key, accepted);
  return accepted;
}

function hasLastSeal(statements: Statements, { key, head, seal }: CheckedConversation): boolean {
  const last = sealText(statements.sealOf.get(key, head - 1)?.['seal']);
  return last !== undefined && last === sealText(seal ?? undefined);
}

/** Returns true for a log that only a version without seals has written. */
export function isLegacy(
  statements: Statements,
  { key, head, seal, legacy }: Omit<CheckedConversation, 'id'>,
): boolean {
  return seal === null && legacy >= head && statements.seals.all(key, 0, head, 1).length === 0;
}

/** Returns the seq of the first event without a seal, or the head. */
function firstUnsealed(statements: Statements, { key, head }: CheckedConversation): number {
  return Number(statements.firstUnsealed.get(key)?.['seq'] ?? head);
}

function sealFrom(statements: Statements, { key, id, head }: CheckedConversation, from: number): void {
  let last = from === 0 ? firstSeal(id) : (sealText(statements.sealOf.get(key, from - 1)?.['seal']) ?? firstSeal(id));
  for (let next = from; next < head;) {
    const page = [...readEvents(statements, { id, key, from: next, to: head, limit: pageLength })];
    // A gap is reported by readers.
    if (page[0]?.seq !== next) return;
    for (const event of page) {
      last = nextSeal(last, digestOf(event));
      statements.sealEvent.run(sealBytes(last), key, event.seq);
    }
    next += page.length;
  }
  statements.setSeal.run(sealBytes(last), key);
}

function record(statements: Statements, key: number, unsealed: Unsealed): void {
  statements.insertStatement.run(key, unsealed.seq, JSON.stringify(unsealed));
}
