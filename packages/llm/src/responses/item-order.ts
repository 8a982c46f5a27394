import type { Message } from '@varve/events';
import { z } from 'zod';

const reasoning = z.object({
  type: z.literal('reasoning'),
  id: z.exactOptional(z.string()),
  summary: z.array(z.string()),
  encrypted_content: z.exactOptional(z.string()),
});
const message = z.object({ type: z.literal('message'), text: z.string() });
const functionCall = z.object({ type: z.literal('function_call'), call_id: z.string() });

const order = z.array(z.discriminatedUnion('type', [reasoning, message, functionCall]));

/** The items of one reply in the order they came; a call is named by its id, for the message holds it. */
export type ItemOrder = readonly z.output<typeof order>[number][];

/**
 * What `extra` must hold so that a reply can go back as it came; absent when the message itself tells: one reasoning item,
 * then one message, then calls.
 */
export function orderIfUnusual(items: ItemOrder): ItemOrder | undefined {
  const shape = items.map(({ type }) => type).join(' ');
  return /^(?:reasoning ?)?(?:message ?)?(?:function_call ?)*$/.test(shape) ? undefined : items;
}

/** Whether a message came from here, so that what only its origin can read may go back. */
export function isFrom({ extra, tool_calls: calls = [] }: Message, origin: string): boolean {
  return [calls[0]?.extra, extra].some((each) => each?.['origin'] === origin);
}

/** The order that a message keeps from this very origin, as long as its calls are still those that came. */
export function orderOf({ extra, tool_calls: calls = [] }: Message, origin: string): ItemOrder | undefined {
  const holder = [calls[0]?.extra, extra].find((each) => each?.['origin'] === origin && each['responses_items']);
  const kept = order.safeParse(holder?.['responses_items']).data;
  const ids = kept?.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []));
  return ids?.join('\n') === calls.map(({ id }) => id).join('\n') ? kept : undefined;
}
