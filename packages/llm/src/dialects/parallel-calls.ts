import type { ToolCall } from '@varve/events';
import { z } from 'zod';

/** A tool that no request offers: models of OpenAI make it up to call several tools at once. */
export const parallelName = 'multi_tool_use.parallel';

const uses = z.looseObject({
  tool_uses: z
    .array(z.looseObject({ recipient_name: z.string(), parameters: z.record(z.string(), z.unknown()) }))
    .min(1),
});

/** Calls with the made-up one taken apart, each under the name of its tool; one that cannot be read stays. */
export function expandParallelCalls(calls: readonly ToolCall[], own: (name: string) => string): readonly ToolCall[] {
  return calls.flatMap((call) => (call.name === parallelName ? expandCall(call, own) : [call]));
}

function expandCall(call: ToolCall, own: (name: string) => string): readonly ToolCall[] {
  const read = uses.safeParse(parsed(call.arguments)).data;
  const { responses_item_id: _item, ...bare } = call;
  if (!read) return [call];
  return read.tool_uses.map(({ recipient_name: name, parameters }, index) => ({
    ...(index === 0 ? bare : withoutExtra(bare)),
    id: `${call.id}_${index}`,
    name: own(name),
    arguments: JSON.stringify(parameters),
  }));
}

/** Opaque data belongs to the message and stays with its first call. */
function withoutExtra({ extra: _extra, ...call }: ToolCall): ToolCall {
  return call;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
