import { lazy, type Message } from '@varve/events';
import * as z from 'zod';

const reasoning = lazy(() =>
  z.object({
    type: z.literal('reasoning'),
    id: z.exactOptional(z.string()),
    summary: z.array(z.string()),
    encrypted_content: z.exactOptional(z.string()),
  }),
);
const message = lazy(() =>
  z.object({ type: z.literal('message'), text: z.string(), phase: z.exactOptional(z.string()) }),
);
const functionCall = lazy(() => z.object({ type: z.literal('function_call'), call_id: z.string() }));

const order = lazy(() => z.array(z.discriminatedUnion('type', [reasoning(), message(), functionCall()])));

/** Items of one reply in their order. A call is represented by its id, because the message contains it. */
export type ItemOrder = readonly z.output<ReturnType<typeof order>>[number][];

/**
 * Returns the order that `extra` must contain so that a reply can be sent back unchanged; undefined for the usual
 * order, which the message implies: one reasoning item, then one message without a phase, then calls.
 */
export function orderIfUnusual(items: ItemOrder): ItemOrder | undefined {
  const shape = items.map(({ type }) => type).join(' ');
  if (items.some((item) => item.type === 'message' && item.phase !== undefined)) return items;
  return /^(?:reasoning ?)?(?:message ?)?(?:function_call ?)*$/.test(shape) ? undefined : items;
}

/** Returns true when a message came from this origin, so that its opaque data may be sent back. */
export function isFrom({ extra, tool_calls: calls = [] }: Message, origin: string): boolean {
  return [calls[0]?.extra, extra].some((each) => each?.['origin'] === origin);
}

/** Returns the order that a message from this origin contains, if its calls are unchanged. */
export function orderOf({ extra, tool_calls: calls = [] }: Message, origin: string): ItemOrder | undefined {
  const holder = [calls[0]?.extra, extra].find((each) => each?.['origin'] === origin && each['responses_items']);
  const kept = order().safeParse(holder?.['responses_items']).data;
  const ids = kept?.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []));
  return ids?.join('\n') === calls.map(({ id }) => id).join('\n') ? kept : undefined;
}
