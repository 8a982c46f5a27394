import type { Message } from '@varve/events';
import { messageDeltas, type Delta } from './delta.ts';

type OnDelta = ((delta: Delta) => void) | undefined;

/** Forwards the deltas of an attempt. */
export interface DeltaTracker {
  /** Absent if the caller wants none. */
  readonly onDelta: OnDelta;
  /** Returns true if there were pieces that no `reset` has discarded. */
  readonly hasPieces: () => boolean;
  /** Discards the pieces with a `reset`, if there are any. */
  readonly reset: (reason: string) => void;
}

/** Tracks the deltas of an attempt. */
export function trackDeltas(onDelta: OnDelta): DeltaTracker {
  let hasPieces = false;
  const tracked = (delta: Delta): void => {
    hasPieces = delta.kind !== 'reset';
    onDelta?.(delta);
  };
  return {
    onDelta: onDelta && tracked,
    hasPieces: () => hasPieces,
    reset: (reason) => hasPieces && tracked({ kind: 'reset', reason }),
  };
}

/** Emits the deltas of a complete reply. A callback may abort the call, so `check` runs before each and at the end. */
export function emitMessage(message: Message, onDelta: OnDelta, check: () => void): void {
  for (const delta of onDelta ? messageDeltas(message) : []) {
    check();
    onDelta?.(delta);
  }
  check();
}
