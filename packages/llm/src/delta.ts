import { textOf, type Message } from '@varve/events';

/** A piece of a streamed reply. */
export type Delta =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** `index` counts the calls of the reply from 0; only the first piece of a call has a `name`, complete. */
  | { readonly kind: 'tool-call'; readonly index: number; readonly name?: string; readonly arguments: string }
  /** Discard all earlier pieces: the request is sent again, or the reply follows in another form. */
  | { readonly kind: 'reset'; readonly reason: string };

/** Returns the deltas of a complete reply, as streaming would have produced them. */
export function messageDeltas(message: Message): readonly Delta[] {
  const { content, reasoning_content: reasoning = '', tool_calls: calls = [] } = message;
  const visible = textOf(content);
  return [
    ...(reasoning === '' ? [] : [{ kind: 'reasoning', text: reasoning } as const]),
    ...(visible === '' ? [] : [{ kind: 'text', text: visible } as const]),
    ...calls.map((call, index) => ({ kind: 'tool-call', index, name: call.name, arguments: call.arguments }) as const),
  ];
}
