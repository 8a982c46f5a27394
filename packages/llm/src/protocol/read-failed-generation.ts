import { randomUUID } from 'node:crypto';
import { text } from '@varve/events';
import { LlmError } from '../error.ts';
import { readTextCalls } from '../text-calls/read-text-calls.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest } from '../model-request.ts';

/** A reply without what only the one who sent the request knows. */
export type SavedReply = Pick<ModelReply, 'id' | 'model' | 'message' | 'finish' | 'invalidCalls'>;

/**
 * The reply in a failure whose `partial` is all that the model wrote: some servers reject their own model's calls when they
 * cannot read them. Undefined unless it ends with whole calls of tools that the request offered.
 */
export function readFailedGeneration(error: unknown, request: ModelRequest, model: string): SavedReply | undefined {
  if (!(error instanceof LlmError) || error.code !== 'malformed-reply' || !error.partial) return undefined;
  const written: ModelReply = {
    id: `reply_${randomUUID().replaceAll('-', '')}`,
    model,
    message: { role: 'assistant', content: [text(error.partial.text)], thinking_blocks: [] },
    finish: 'stop',
    latencyMs: 0,
    attempts: 1,
  };
  const leak = readTextCalls(written, request, ['function-tags', 'tool-call-json', 'invoke', 'arg-pairs', 'json']);
  if (!leak?.format) return undefined;
  const { id, message, finish, invalidCalls } = leak.reply;
  return { id, model, message, finish, ...(invalidCalls && { invalidCalls }) };
}
