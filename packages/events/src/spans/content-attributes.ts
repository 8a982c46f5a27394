import { textOf, type Content } from '../content.ts';
import type { ActionEvent } from '../kinds/action-event.ts';
import type { MessageEvent } from '../kinds/message-event.ts';
import type { ResultEvent } from '../messages/results.ts';
import type { Attributes } from './span.ts';

/** Part of a message, in the form of the conventions. */
export type MessagePart = Readonly<Record<string, unknown>> & { readonly type: string };

/** Returns the parts of a reply that an event contains: thought, reasoning and one call, or a text. */
export function replyParts(event: ActionEvent | MessageEvent): readonly MessagePart[] {
  if (!('tool_call' in event)) {
    const { content, reasoning_content: reasoning } = event.llm_message;
    return [...reasoningParts(reasoning), ...textParts(content)];
  }
  const { id, name, arguments: args } = event.tool_call;
  return [
    ...reasoningParts(event.reasoning_content),
    ...textParts(event.thought),
    { type: 'tool_call', id, name, arguments: args },
  ];
}

/** Returns the attribute of the messages that an agent or a model received, or returned. */
export function messagesAttribute(
  direction: 'input' | 'output',
  parts: readonly MessagePart[],
  finish?: string,
): Attributes {
  if (parts.length === 0) return {};
  const role = direction === 'input' ? 'user' : 'assistant';
  const message = { role, parts, ...(finish !== undefined && { finish_reason: finish }) };
  return { [`gen_ai.${direction}.messages`]: JSON.stringify([message]) };
}

/** Returns the attributes of the content of a call and of its result. */
export function callContent({ tool_call: call }: ActionEvent, result: ResultEvent): Attributes {
  return { 'gen_ai.tool.call.arguments': call.arguments, 'gen_ai.tool.call.result': resultText(result) };
}

/** Returns the parts of a content; an image is the address or the length of its data. */
export function textParts(content: readonly Content[]): readonly MessagePart[] {
  return content.flatMap((block): readonly MessagePart[] =>
    block.type === 'text'
      ? [{ type: 'text', content: block.text }]
      : block.image_urls.map((uri) => ({
          type: 'uri',
          modality: 'image',
          uri: uri.startsWith('data:') ? `data: of ${uri.length} characters` : uri,
        })),
  );
}

function reasoningParts(reasoning = ''): readonly MessagePart[] {
  return reasoning === '' ? [] : [{ type: 'reasoning', content: reasoning }];
}

function resultText(result: ResultEvent): string {
  if ('observation' in result) return textOf(result.observation.content);
  return 'error' in result ? result.error : result.rejection_reason;
}
