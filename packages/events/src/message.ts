import * as z from 'zod';
import { lazy } from './lazy.ts';
import { contentList } from './content.ts';
import type { Immutable } from './immutable.ts';
import { withReadRepair, withFallback } from './lenient.ts';

/** Opaque provider data, such as signatures. The reference ignores this key, so it can still read the logs. */
const extra = lazy(() => z.exactOptional(z.record(z.string(), z.unknown())));

/** Tool call of the model. `arguments` is the JSON text as received, because prompt caches compare bytes. */
export const toolCall = lazy(() =>
  z.strictObject({
    id: z.string(),
    responses_item_id: z.exactOptional(z.string()),
    name: z.string(),
    arguments: z.string(),
    origin: withFallback(z.enum(['completion', 'responses']), 'completion'),
    extra: extra(),
  }),
);

/** Block of the model's thinking, readable or encrypted by its provider. */
export const thinkingBlock = lazy(() =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.exactOptional(z.string()) }),
    z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  ]),
);

/** Reasoning item of the Responses protocol. */
export const reasoningItem = lazy(() =>
  z.strictObject({
    id: z.exactOptional(z.string()),
    summary: z.array(z.string()).default([]),
    content: z.exactOptional(z.array(z.string())),
    encrypted_content: z.exactOptional(z.string()),
    status: z.exactOptional(z.string()),
  }),
);

/** Settings of one request that old logs stored on every message. Reading removes them. */
const legacyFlags = new Set([
  'cache_enabled',
  'vision_enabled',
  'function_calling_enabled',
  'force_string_serializer',
  'send_reasoning_content',
]);

/** Message of a chat in its stored form: content is always a list, and provider settings are not stored. */
export const message = lazy(() =>
  withReadRepair(
    z.strictObject({
      role: withFallback(z.enum(['user', 'system', 'assistant', 'tool']), 'user'),
      content: contentList(),
      tool_calls: z.exactOptional(z.array(toolCall())),
      tool_call_id: z.exactOptional(z.string()),
      name: z.exactOptional(z.string()),
      reasoning_content: z.exactOptional(z.string()),
      thinking_blocks: z.array(thinkingBlock()).default([]),
      responses_reasoning_item: z.exactOptional(reasoningItem()),
      extra: extra(),
    }),
    (raw) =>
      typeof raw === 'object' && raw !== null
        ? Object.fromEntries(Object.entries(raw).filter(([key]) => !legacyFlags.has(key)))
        : raw,
  ),
);

export type ToolCall = Immutable<z.output<ReturnType<typeof toolCall>>>;
export type Message = Immutable<z.output<ReturnType<typeof message>>>;
