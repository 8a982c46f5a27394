import { StorageError } from '../contract/error.ts';
import type { EventLog } from '../contract/log.ts';
import { type CheckedAppend, checkAppend, planAppend, sealAppend } from '../kit/append.ts';
import { type LogSource, readerOf } from '../kit/reader.ts';
import { memorySnapshots } from '../kit/snapshots.ts';
import type { Wakeups } from '../kit/wakeups.ts';
import type { MemoryConversation } from './memory-conversation.ts';
import { memoryProof, memoryProofWriter } from './memory-proof.ts';

/** Dependencies of a log that its store provides. */
export interface MemoryLogContext {
  readonly now: () => number;
  readonly wake: Wakeups;
  readonly onClose: () => void;
}

const pageLength = 256;

/** Creates the writable log of a conversation whose lease was just taken. */
export function memoryLog(conversation: MemoryConversation, { now, wake, onClose }: MemoryLogContext): EventLog {
  const closing = new AbortController();
  const check = (): void => checkOpen(conversation.id, closing.signal);
  return {
    ...readerOf(memorySource(conversation, wake, closing.signal)),
    atomicity: 'all',
    epoch: conversation.epoch,
    snapshots: memorySnapshots(check, conversation.snapshots),
    proof: memoryProofWriter(conversation, check, now),
    async append(events, options) {
      check();
      const seqs = append(conversation, checkAppend(events, options), now);
      wake.fire(conversation.id);
      return seqs;
    },
    async [Symbol.asyncDispose]() {
      if (closing.signal.aborted) return;
      closing.abort();
      conversation.isHeld = false;
      wake.fire(conversation.id);
      onClose();
    },
  };
}

/** Creates the source of a reader, which is valid until `closed` aborts. */
export function memorySource(conversation: MemoryConversation, wake: Wakeups, closed: AbortSignal): LogSource {
  const { id } = conversation;
  const check = (): void => {
    checkOpen(id, closed);
    if (conversation.isRemoved) throw new StorageError('missing', `Conversation ${id} was removed.`);
  };
  return {
    id,
    async head() {
      check();
      return conversation.events.length;
    },
    async page(from, to) {
      check();
      return conversation.events.slice(from, Math.min(to, from + pageLength));
    },
    async seqOf(eventId) {
      check();
      return conversation.seqs.get(eventId);
    },
    arm: () => wake.arm(id),
    closed,
    proof: memoryProof(conversation, check),
  };
}

function append(conversation: MemoryConversation, checked: CheckedAppend, now: () => number): readonly number[] {
  const { id, events, seqs, seals } = conversation;
  const { expectedHead, metaText, signer } = checked;
  const head = events.length;
  const plan = planAppend(checked.events, { id, head, expectedHead, find: (other) => events[seqs.get(other) ?? -1] });
  const hasChanged = plan.fresh.length > 0 || metaText !== undefined;
  const at = hasChanged || signer ? now() : conversation.updatedAt;
  const sealed = sealAppend(plan, checked, { id, head, seal: seals.at(-1), at });
  for (const { digest: _, seal, ...event } of sealed.events) {
    events.push(Object.freeze(event));
    seqs.set(event.id, event.seq);
    seals.push(seal);
  }
  conversation.statements.push(...sealed.statements);
  if (metaText !== undefined) conversation.meta = metaText;
  if (hasChanged) conversation.updatedAt = at;
  return plan.seqs;
}

function checkOpen(id: string, closed: AbortSignal): void {
  if (closed.aborted) throw new StorageError('closed', `The log of conversation ${id} is closed.`);
}
