import { textOf, type Message } from '@varve/events';

/** A piece of a reply under way. */
export type Delta =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** `index` counts the calls of the reply from 0; `name` comes whole, with a call's first piece and no other. */
  | { readonly kind: 'tool-call'; readonly index: number; readonly name?: string; readonly arguments: string }
  /** Forget every piece so far: the request is sent again. */
  | { readonly kind: 'reset'; readonly reason: string };

/** A whole reply as the pieces that a stream of it would have had. */
export function messageDeltas(message: Message): readonly Delta[] {
  const { content, reasoning_content: reasoning = '', tool_calls: calls = [] } = message;
  const said = textOf(content);
  return [
    ...(reasoning === '' ? [] : [{ kind: 'reasoning', text: reasoning } as const]),
    ...(said === '' ? [] : [{ kind: 'text', text: said } as const]),
    ...calls.map((call, index) => ({ kind: 'tool-call', index, name: call.name, arguments: call.arguments }) as const),
  ];
}
