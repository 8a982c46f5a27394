import { StorageError } from '../contract/error.ts';
import type { Stored } from '../contract/log-reader.ts';
import type { AppendOptions, EventLog, NewEvent } from '../contract/log.ts';
import type { SnapshotCache } from '../contract/snapshots.ts';
import { checkBound, checkEvents, checkStatements } from '../kit/checks.ts';
import { jsonText } from '../kit/json.ts';
import { planAppend } from '../kit/plan-append.ts';
import { type LogSource, readerOf } from '../kit/reader.ts';
import type { Wakeups } from '../kit/wakeups.ts';
import { firstSeal } from '../proof/hash-chain.ts';
import { sealEvents } from '../proof/seal-events.ts';
import { signCheckpoint } from '../proof/signatures.ts';
import type { MemoryConversation } from './memory-conversation.ts';
import { memoryProof, memoryProofWriter } from './memory-proof.ts';

/** What a log needs of its store. */
export interface MemoryLogContext {
  readonly now: () => number;
  readonly wake: Wakeups;
  readonly onClose: () => void;
}

const pageLength = 256;
const snapshotsKept = 4;

/** The right to append to a conversation whose lease was just taken. */
export function memoryLog(kept: MemoryConversation, { now, wake, onClose }: MemoryLogContext): EventLog {
  const closing = new AbortController();
  return {
    ...readerOf(memorySource(kept, wake, closing.signal)),
    atomicity: 'all',
    epoch: kept.epoch,
    snapshots: memorySnapshots(kept, closing.signal),
    proof: memoryProofWriter(kept, () => checkOpen(kept.id, closing.signal), now),
    async append(events, options = {}) {
      checkOpen(kept.id, closing.signal);
      const seqs = append(kept, events, { ...options, now });
      wake.fire(kept.id);
      return seqs;
    },
    async [Symbol.asyncDispose]() {
      if (closing.signal.aborted) return;
      closing.abort();
      kept.isHeld = false;
      wake.fire(kept.id);
      onClose();
    },
  };
}

/** What reads a conversation in memory until `closed` aborts. */
export function memorySource(kept: MemoryConversation, wake: Wakeups, closed: AbortSignal): LogSource {
  const check = (): void => {
    checkOpen(kept.id, closed);
    if (kept.isRemoved) throw new StorageError('missing', `Conversation ${kept.id} was removed.`);
  };
  return {
    id: kept.id,
    async head() {
      check();
      return kept.events.length;
    },
    async page(from, to) {
      check();
      return kept.events.slice(from, Math.min(to, from + pageLength));
    },
    async seqOf(id) {
      check();
      return kept.seqs.get(id);
    },
    arm: () => wake.arm(kept.id),
    closed,
    proof: memoryProof(kept, check),
  };
}

function append(
  kept: MemoryConversation,
  events: readonly NewEvent[],
  options: AppendOptions & { readonly now: () => number },
) {
  const { expectedHead, meta, signer, now } = options;
  const statements = checkStatements(options.statements);
  if (expectedHead !== undefined) checkBound('expected head', expectedHead);
  const metaText = meta === undefined ? undefined : jsonText('meta', meta);
  const find = (id: string): Stored | undefined => kept.events[kept.seqs.get(id) ?? -1];
  const plan = planAppend(checkEvents(events), { id: kept.id, head: kept.events.length, expectedHead, find });
  const hasChanged = plan.fresh.length > 0 || metaText !== undefined;
  const at = hasChanged || signer ? now() : kept.updatedAt;
  const previous = kept.seals.at(-1) ?? firstSeal(kept.id);
  const { seals, checkpoints } = sealEvents(plan.fresh, { conversation: kept.id, previous, signer, at });
  for (const { digest: _, ...event } of plan.fresh) {
    kept.events.push(Object.freeze(event));
    kept.seqs.set(event.id, event.seq);
  }
  kept.seals.push(...seals.map(({ seal }) => seal));
  kept.statements.push(...checkpoints, ...statements);
  if (signer && events.length === 0 && kept.seals.length > 0) {
    const place = { conversation: kept.id, seq: kept.seals.length - 1, seal: previous, at };
    kept.statements.push(signCheckpoint(place, signer));
  }
  if (metaText !== undefined) kept.meta = metaText;
  if (hasChanged) kept.updatedAt = at;
  return plan.seqs;
}

function memorySnapshots(kept: MemoryConversation, closed: AbortSignal): SnapshotCache {
  return {
    async latest(name, upTo = Infinity) {
      checkOpen(kept.id, closed);
      const states = kept.snapshots.get(name) ?? new Map<number, string>();
      const seq = Math.max(...[...states.keys()].filter((other) => other <= upTo));
      const state = states.get(seq);
      return state === undefined ? undefined : { seq, state: JSON.parse(state) };
    },
    async save(name, { seq, state }) {
      const states = kept.snapshots.get(name) ?? new Map<number, string>();
      try {
        checkBound('seq of a snapshot', seq);
        states.set(seq, jsonText('snapshot', state));
      } catch {
        return; // A cache: what cannot be saved is not there.
      }
      kept.snapshots.set(name, states);
      for (const old of [...states.keys()].toSorted((one, other) => other - one).slice(snapshotsKept))
        states.delete(old);
    },
  };
}

function checkOpen(id: string, closed: AbortSignal): void {
  if (closed.aborted) throw new StorageError('closed', `The log of conversation ${id} is closed.`);
}
