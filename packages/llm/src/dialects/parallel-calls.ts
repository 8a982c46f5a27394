import { lazy, type ToolCall } from '@varve/events';
import { parseJson } from '@varve/text';
import * as z from 'zod';
import { wireCallId } from './call-ids.ts';
import { defaultReplyLimits } from '../http/reply-limits.ts';

/** A tool that no request offers: models of OpenAI invent it to call several tools in one call. */
export const parallelName = 'multi_tool_use.parallel';

const parallelArguments = lazy(() =>
  z.looseObject({
    tool_uses: z
      .array(z.looseObject({ recipient_name: z.string(), parameters: z.record(z.string(), z.unknown()) }))
      .min(1),
  }),
);

/**
 * Replaces each call of {@link parallelName} by the calls in its arguments, with the tools' own names. One stays that
 * cannot be read, or with which the reply has more calls than {@link defaultReplyLimits} allow.
 */
export function expandParallelCalls(
  calls: readonly ToolCall[],
  toolNameFor: (name: string) => string,
): readonly ToolCall[] {
  const ids = new Set(calls.map(({ id }) => id));
  let count = calls.length;
  return calls.flatMap((call) => {
    if (call.name !== parallelName) return [call];
    const inner = expandCall(call, toolNameFor, { ids, maxCalls: defaultReplyLimits.calls - count + 1 });
    count += inner.length - 1;
    return inner;
  });
}

interface ExpandOptions {
  /** Ids of the reply, to which those of the new calls are added. */
  readonly ids: Set<string>;
  readonly maxCalls: number;
}

function expandCall(
  call: ToolCall,
  toolNameFor: (name: string) => string,
  { ids, maxCalls }: ExpandOptions,
): readonly ToolCall[] {
  const read = parallelArguments().safeParse(parseJson(call.arguments, defaultReplyLimits)).data;
  const { responses_item_id: _item, ...bare } = call;
  if (!read || read.tool_uses.length > maxCalls) return [call];
  // A long id would be repeated in each call.
  const base = call.id.length > 100 ? wireCallId(call.id, 'plain') : call.id;
  return read.tool_uses.map(({ recipient_name: name, parameters }, index) => ({
    ...(index === 0 ? bare : withoutExtra(bare)),
    id: newId(`${base}_${index}`, ids),
    name: toolNameFor(name),
    arguments: JSON.stringify(parameters),
  }));
}

/** Returns an id that no other call of the reply has: results are paired by id. */
function newId(id: string, ids: Set<string>): string {
  const free = ids.has(id) ? newId(`${id}_`, ids) : id;
  ids.add(free);
  return free;
}

/** Opaque data belongs to the whole message, and stays on its first call. */
function withoutExtra({ extra: _extra, ...call }: ToolCall): ToolCall {
  return call;
}
