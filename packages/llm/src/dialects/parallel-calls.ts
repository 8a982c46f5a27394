import type { ToolCall } from '@varve/events';
import * as z from 'zod';

/** A tool that no request offers: models of OpenAI invent it to call several tools in one call. */
export const parallelName = 'multi_tool_use.parallel';

const parallelArguments = z.looseObject({
  tool_uses: z
    .array(z.looseObject({ recipient_name: z.string(), parameters: z.record(z.string(), z.unknown()) }))
    .min(1),
});

/**
 * Replaces each call of {@link parallelName} by the calls in its arguments, with the tools' own names; an unreadable
 * one stays.
 */
export function expandParallelCalls(
  calls: readonly ToolCall[],
  toolNameFor: (name: string) => string,
): readonly ToolCall[] {
  return calls.flatMap((call) => (call.name === parallelName ? expandCall(call, toolNameFor) : [call]));
}

function expandCall(call: ToolCall, toolNameFor: (name: string) => string): readonly ToolCall[] {
  const read = parallelArguments.safeParse(parseJson(call.arguments)).data;
  const { responses_item_id: _item, ...bare } = call;
  if (!read) return [call];
  return read.tool_uses.map(({ recipient_name: name, parameters }, index) => ({
    ...(index === 0 ? bare : withoutExtra(bare)),
    id: `${call.id}_${index}`,
    name: toolNameFor(name),
    arguments: JSON.stringify(parameters),
  }));
}

/** Opaque data belongs to the whole message, and stays on its first call. */
function withoutExtra({ extra: _extra, ...call }: ToolCall): ToolCall {
  return call;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
