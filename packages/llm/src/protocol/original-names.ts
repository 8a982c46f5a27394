import type { Message, ToolCall } from '@varve/events';
import type { Delta } from '../delta.ts';
import { expandParallelCalls, parallelName } from '../dialects/parallel-calls.ts';

/** Returns the tool name of the request for a name on the wire. */
export type ToolNameLookup = (wireName: string) => string;

/** A reply whose calls have the tools' own names, with calls of `multi_tool_use.parallel` expanded. */
export function withOriginalNames(message: Message, toolNameFor: ToolNameLookup): Message {
  const { tool_calls: calls } = message;
  if (!calls) return message;
  const renamed = calls.map((call) => ({ ...call, name: toolNameFor(call.name) }));
  return { ...message, tool_calls: expandParallelCalls(renamed, toolNameFor) };
}

/** Forwards deltas with the tools' own names. */
export interface OriginalNameDeltas {
  readonly push: (delta: Delta) => void;
  /** Emits the calls that were held back, as they are in the reply. */
  readonly end: (calls: readonly ToolCall[]) => void;
}

/**
 * From the first call of `multi_tool_use.parallel`, calls are held back: their number and names are known at the end.
 */
export function originalNameDeltas(onDelta: (delta: Delta) => void, toolNameFor: ToolNameLookup): OriginalNameDeltas {
  let heldFrom = Infinity;
  return {
    push(delta) {
      if (delta.kind !== 'tool-call') return onDelta(delta);
      const name = delta.name === undefined ? undefined : toolNameFor(delta.name);
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
