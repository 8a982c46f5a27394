import { randomUUID } from 'node:crypto';
import { text } from '@varve/events';
import { LlmError } from '../error.ts';
import { textCallFormats } from '../text-calls/formats/readers.ts';
import { readTextCalls } from '../text-calls/read-text-calls.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest } from '../model-request.ts';

/** The parts of a model reply that a failed generation contains. */
export type GeneratedReply = Pick<ModelReply, 'id' | 'model' | 'message' | 'finish' | 'invalidCalls'>;

/**
 * Returns the reply in a failure whose `partial` is the model's whole output: some servers reject their own model's
 * calls when they cannot read them. Undefined unless the output ends with whole calls of tools that the request offers.
 * `reasoning` arrived before the failure, and is that of the reply.
 */
export function readFailedGeneration(
  error: unknown,
  request: ModelRequest,
  { model, reasoning }: { readonly model: string; readonly reasoning: string },
): GeneratedReply | undefined {
  if (!(error instanceof LlmError) || error.code !== 'malformed-reply' || !error.partial) return undefined;
  const output: ModelReply = {
    id: `reply_${randomUUID().replaceAll('-', '')}`,
    model,
    message: {
      role: 'assistant',
      content: [text(error.partial.text)],
      thinking_blocks: [],
      ...(reasoning !== '' && { reasoning_content: reasoning }),
    },
    finish: 'stop',
    latencyMs: 0,
    attempts: 1,
  };
  const textCalls = readTextCalls(output, request, textCallFormats);
  if (!textCalls?.format) return undefined;
  const { id, message, finish, invalidCalls } = textCalls.reply;
  return { id, model, message, finish, ...(invalidCalls && { invalidCalls }) };
}
