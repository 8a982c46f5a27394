import { lazy, text, type Content, type Message } from '@varve/events';
import * as z from 'zod';
import type { ModelRequest } from '../../model-request.ts';

const inputPart = lazy(() =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('input_text'), text: z.string() }),
    z.strictObject({ type: z.literal('input_image'), image_url: z.string(), detail: z.literal('auto') }),
  ]),
);

const item = lazy(() =>
  z.union([
    z.strictObject({ type: z.literal('message'), role: z.literal('user'), content: z.array(inputPart()) }),
    z.strictObject({
      type: z.literal('message'),
      role: z.literal('assistant'),
      phase: z.exactOptional(z.string()),
      content: z.array(z.strictObject({ type: z.literal('output_text'), text: z.string() })),
    }),
    z.strictObject({
      type: z.literal('reasoning'),
      id: z.exactOptional(z.string()),
      summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
      encrypted_content: z.exactOptional(z.string()),
    }),
    z.strictObject({
      type: z.literal('function_call'),
      id: z.exactOptional(z.string()),
      call_id: z.string(),
      name: z.string(),
      arguments: z.string(),
    }),
    z.strictObject({
      type: z.literal('function_call_output'),
      call_id: z.string(),
      output: z.union([z.string(), z.array(inputPart())]),
    }),
  ]),
);
type Item = z.output<ReturnType<typeof item>>;

/** Schema of a request of the Responses protocol; any other body is answered with 400. */
export const responseRequest = lazy(() =>
  z.looseObject({
    model: z.string(),
    instructions: z.exactOptional(z.string()),
    input: z.array(item()),
    tools: z
      .array(
        z.strictObject({
          type: z.literal('function'),
          name: z.string(),
          description: z.string(),
          parameters: z.record(z.string(), z.unknown()),
          strict: z.literal(false),
        }),
      )
      .default([]),
    stream: z.boolean().default(false),
    temperature: z.exactOptional(z.number()),
  }),
);
export type ResponseRequest = z.output<ReturnType<typeof responseRequest>>;

/**
 * Converts a body to a model request with the fields that scripts use. Consecutive items of the assistant are one
 * message.
 */
export function requestOfItems({ instructions, input, tools, temperature }: ResponseRequest): ModelRequest {
  const system: readonly Message[] = instructions === undefined ? [] : [messageOf('system', [text(instructions)])];
  return {
    messages: input.reduce(withItem, system),
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    parameters: temperature === undefined ? {} : { temperature },
  };
}

function messageOf(role: Message['role'], content: readonly Content[], fields: Partial<Message> = {}): Message {
  return { role, content, thinking_blocks: [], ...fields };
}

function withItem(messages: readonly Message[], next: Item): readonly Message[] {
  if (next.type === 'function_call_output') {
    const content = typeof next.output === 'string' ? [text(next.output)] : next.output.map(contentOf);
    return [...messages, messageOf('tool', content, { tool_call_id: next.call_id })];
  }
  if (next.type === 'message' && next.role === 'user')
    return [...messages, messageOf('user', next.content.map(contentOf))];
  const last = messages.at(-1);
  const isBegun = last?.role === 'assistant';
  return [
    ...(isBegun ? messages.slice(0, -1) : messages),
    withAssistantItem(isBegun ? last : messageOf('assistant', []), next),
  ];
}

function withAssistantItem(message: Message, next: Item): Message {
  if (next.type === 'message' && next.role === 'assistant') {
    return { ...message, content: [...message.content, ...next.content.map((part) => text(part.text))] };
  }
  if (next.type === 'function_call') {
    const call = { id: next.call_id, name: next.name, arguments: next.arguments, origin: 'responses' } as const;
    return { ...message, tool_calls: [...(message.tool_calls ?? []), call] };
  }
  if (next.type !== 'reasoning') return message;
  const { encrypted_content: encrypted, summary } = next;
  const reasoning = {
    summary: summary.map((each) => each.text),
    ...(encrypted !== undefined && { encrypted_content: encrypted }),
  };
  return { ...message, responses_reasoning_item: reasoning };
}

function contentOf(part: z.output<ReturnType<typeof inputPart>>): Content {
  return part.type === 'input_text'
    ? text(part.text)
    : { cache_prompt: false, type: 'image', image_urls: [part.image_url] };
}
