import type { Message, ToolCall } from '@varve/events';
import type { ModelWrapper } from '../language-model.ts';
import { wrappedModel } from '../wrapped-model.ts';

/**
 * Sends no reasoning of earlier replies: neither text nor encrypted items. Signatures of calls stay, without which
 * their model rejects the calls.
 */
export function omitReasoning(): ModelWrapper {
  return (model) => {
    // One message has one object without reasoning, so that its wire form is made once.
    const known = new WeakMap<Message, Message>();
    const plain = (message: Message): Message => {
      const made = known.get(message) ?? withoutReasoning(message);
      known.set(message, made);
      return made;
    };
    return wrappedModel(model, (request, options) =>
      model.generate({ ...request, messages: request.messages.map(plain) }, options),
    );
  };
}

function withoutReasoning(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const { reasoning_content: _text, responses_reasoning_item: _item, extra, tool_calls: calls, ...rest } = message;
  return {
    ...rest,
    thinking_blocks: [],
    ...(extra && { extra: plainExtra(extra) }),
    ...(calls && { tool_calls: calls.map(plainCall) }),
  };
}

function plainCall(call: ToolCall): ToolCall {
  return call.extra ? { ...call, extra: plainExtra(call.extra) } : call;
}

function plainExtra({ reasoning_details: _details, responses_items: items, ...rest }: NonNullable<Message['extra']>) {
  if (!Array.isArray(items)) return rest;
  const others = items.filter((item: unknown) => !isReasoning(item));
  return { ...rest, responses_items: others };
}

function isReasoning(item: unknown): boolean {
  return typeof item === 'object' && item !== null && 'type' in item && item.type === 'reasoning';
}
