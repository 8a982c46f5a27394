import type { Delta } from '../delta.ts';
import { LlmError } from '../error.ts';
import type { GenerateOptions, LanguageModel } from '../language-model.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest } from '../model-request.ts';
import { textCallReaders, type TextCallFormat } from './formats/readers.ts';
import { textCallStream } from './text-call-stream.ts';
import { readTextCalls, type TextCallReply } from './read-text-calls.ts';

/** A reply in the form that callers receive, and the calls found in its text, if any. */
export interface NativeReply {
  readonly reply: ModelReply;
  readonly textCalls: TextCallReply | undefined;
}

/** Generates a reply with native function calling, and reads calls that the server left in its text. */
export async function generateWithTextCalls(
  model: LanguageModel,
  request: ModelRequest,
  { formats, ...options }: GenerateOptions & { readonly formats: readonly TextCallFormat[] },
): Promise<NativeReply> {
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
  if (signal?.aborted) throw new LlmError('aborted', 'The model call was aborted.', { cause: signal.reason });
  return { reply: whole, textCalls };
}
