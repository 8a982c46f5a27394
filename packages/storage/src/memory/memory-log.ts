import { StorageError } from '../contract/error.ts';
import type { EventLog } from '../contract/log.ts';
import type { SavedSnapshot } from '../contract/log-proof.ts';
import type { CheckedAppend } from '../kit/append.ts';
import { checkLogOpen } from '../kit/checks.ts';
import { leasedLog } from '../kit/leased-log.ts';
import { addToLog, loadedSource, prepareAppend } from '../kit/loaded-log.ts';
import { memorySnapshots } from '../kit/snapshots.ts';
import type { Wakeups } from '../kit/wakeups.ts';
import type { MemoryConversation } from './memory-conversation.ts';
import { memoryProofWriter } from './memory-proof.ts';

/** Dependencies of a log that its store provides. */
export interface MemoryLogContext {
  readonly now: () => number;
  readonly wake: Wakeups;
  readonly onClose: () => void;
}

/** Creates the writable log of a conversation whose lease was just taken. */
export function memoryLog(conversation: MemoryConversation, { now, wake, onClose }: MemoryLogContext): EventLog {
  const { id, epoch, snapshots } = conversation;
  const closing = new AbortController();
  const source = memorySource(conversation, wake, closing.signal);
  const checkOpen = (): void => checkLogOpen(id, closing.signal);
  return leasedLog(closing, {
    source,
    atomicity: 'all',
    epoch,
    snapshots: memorySnapshots(checkOpen, snapshots),
    proof: { ...source.proof, ...memoryProofWriter(conversation, checkOpen, now) },
    append: (checked) => append(conversation, checked, now()),
    wake: () => wake.fire(id),
    release() {
      conversation.isHeld = false;
    },
    onClose,
  });
}

/** Creates the source of a reader, which is valid until `closed` aborts. */
export function memorySource(conversation: MemoryConversation, wake: Wakeups, closed: AbortSignal) {
  const { id } = conversation;
  const check = (): void => {
    checkLogOpen(id, closed);
    if (conversation.isRemoved) throw new StorageError('missing', `Conversation ${id} was removed.`);
  };
  const source = loadedSource(conversation, { check, wake, closed });
  async function* snapshots(): AsyncGenerator<SavedSnapshot> {
    check();
    for (const [name, states] of conversation.snapshots) {
      for (const [seq, text] of states) yield { name, seq, text };
    }
  }
  return { ...source, proof: { ...source.proof, snapshots } };
}

function append(conversation: MemoryConversation, checked: CheckedAppend, at: number): readonly number[] {
  const prepared = prepareAppend(conversation, checked, at);
  addToLog(conversation, prepared);
  if (checked.metaText !== undefined) conversation.meta = checked.metaText;
  if (prepared.events.length > 0 || checked.metaText !== undefined) conversation.updatedAt = at;
  return prepared.seqs;
}
