import { lazy, text, type Content, type Message } from '@varve/events';
import * as z from 'zod';
import type { ModelRequest } from '../../model-request.ts';

const part = lazy(() =>
  z.union([
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) }),
  ]),
);

const wireMessage = lazy(() =>
  z.looseObject({
    role: z.enum(['user', 'system', 'assistant', 'tool']),
    content: z.union([z.string(), z.array(part())]).nullable(),
    tool_calls: z.exactOptional(
      z.array(z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) })),
    ),
    tool_call_id: z.exactOptional(z.string()),
  }),
);

/** Schema of a chat completion request; any other body is answered with 400. */
export const wireBody = lazy(() =>
  z.looseObject({
    model: z.string(),
    messages: z.array(wireMessage()),
    tools: z
      .array(
        z.looseObject({
          function: z.looseObject({
            name: z.string(),
            description: z.string().default(''),
            parameters: z.record(z.string(), z.unknown()).default({}),
          }),
        }),
      )
      .default([]),
    tool_choice: z.exactOptional(z.enum(['none', 'auto', 'required'])),
    temperature: z.exactOptional(z.number()),
    stop: z.exactOptional(z.union([z.string(), z.array(z.string())])),
    stream: z.boolean().default(false),
    stream_options: z.exactOptional(z.looseObject({ include_usage: z.boolean().default(false) })),
  }),
);
export type WireBody = z.output<ReturnType<typeof wireBody>>;

/** Converts a body to a model request with the fields that scripts use. */
export function requestOf({ messages, tools, tool_choice, temperature, stop }: WireBody): ModelRequest {
  return {
    messages: messages.map(messageOf),
    tools: tools.map(({ function: { name, description, parameters } }) => ({ name, description, parameters })),
    parameters: {
      ...(temperature !== undefined && { temperature }),
      ...(stop !== undefined && { stop: [stop].flat() }),
      ...(tool_choice !== undefined && { toolChoice: tool_choice }),
    },
  };
}

function messageOf({ role, content, tool_calls, tool_call_id }: z.output<ReturnType<typeof wireMessage>>): Message {
  return {
    role,
    content: typeof content === 'string' ? stringContent(content) : (content ?? []).map(contentOf),
    ...(tool_calls && {
      tool_calls: tool_calls.map(({ id, function: { name, arguments: json } }) => ({
        id,
        name,
        arguments: json,
        origin: 'completion' as const,
      })),
    }),
    ...(tool_call_id !== undefined && { tool_call_id }),
    thinking_blocks: [],
  };
}

function stringContent(content: string): readonly Content[] {
  return content === '' ? [] : [text(content)];
}

function contentOf(wire: z.output<ReturnType<typeof part>>): Content {
  return wire.type === 'text'
    ? text(wire.text)
    : { cache_prompt: false, type: 'image', image_urls: [wire.image_url.url] };
}
