import type { ToolCall } from '@varve/events';
import type { Delta } from '../delta.ts';
import { parallelName } from '../dialects/parallel-calls.ts';

/** Hands on deltas under the names that tools have for the caller. */
export interface DeltaNames {
  readonly push: (delta: Delta) => void;
  /** Hands out the calls that were held back, as they are in the reply. */
  readonly end: (calls: readonly ToolCall[]) => void;
}

/** From a call on that stands for several ones, calls are held back: their number and names are known at the end. */
export function restoreDeltaNames(onDelta: (delta: Delta) => void, own: (name: string) => string): DeltaNames {
  let heldFrom = Infinity;
  return {
    push(delta) {
      if (delta.kind !== 'tool-call') return onDelta(delta);
      const name = delta.name === undefined ? undefined : own(delta.name);
      if (name === parallelName) heldFrom = Math.min(heldFrom, delta.index);
      if (delta.index < heldFrom) onDelta(name === undefined ? delta : { ...delta, name });
    },
    end(calls) {
      for (const [index, { name, arguments: json }] of calls.entries()) {
        if (index >= heldFrom) onDelta({ kind: 'tool-call', index, name, arguments: json });
      }
    },
  };
}
