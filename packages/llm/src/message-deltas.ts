import { textOf, type Message } from '@varve/events';
import type { Delta } from './delta.ts';

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
