import type { Delta } from '../delta.ts';
import { throwIfAborted } from '../error.ts';
import type { GenerateOptions, LanguageModel } from '../language-model.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest } from '../model-request.ts';
import { textCallReaders, type TextCallFormat } from './formats/readers.ts';
import { textCallStream } from './text-call-stream.ts';
import { readTextCalls, type TextCallReply } from './read-text-calls.ts';

/**
 * Generates a reply with native function calling, in the form that callers receive, and reads calls that the server
 * left in its text, if any.
 */
export async function generateWithTextCalls(
  model: LanguageModel,
  request: ModelRequest,
  { formats, ...options }: GenerateOptions & { readonly formats: readonly TextCallFormat[] },
): Promise<{ readonly reply: ModelReply; readonly textCalls: TextCallReply | undefined }> {
  const { onDelta, signal } = options;
  if (request.tools.length === 0) return { reply: await model.generate(request, options), textCalls: undefined };
  const unlessAborted: NonNullable<typeof onDelta> = (delta) => {
    if (!signal?.aborted) onDelta?.(delta);
  };
  const marks = new Set(formats.flatMap((format): readonly string[] => textCallReaders[format].marks));
  const stream = onDelta && textCallStream(unlessAborted, [...marks]);
  const inner = { ...options, ...(stream && { onDelta: (delta: Delta) => stream.push(delta) }) };
  const reply = await model.generate(request, inner);
  const textCalls = readTextCalls(reply, request, formats);
  const whole = textCalls?.reply ?? reply;
  stream?.end(whole.message, textCalls?.format !== undefined);
  throwIfAborted(signal);
  return { reply: whole, textCalls };
}
