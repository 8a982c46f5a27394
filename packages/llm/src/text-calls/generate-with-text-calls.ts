import type { Delta } from '../delta.ts';
import { LlmError } from '../error.ts';
import type { GenerateOptions, LanguageModel } from '../language-model.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest } from '../model-request.ts';
import type { TextCallFormat } from './formats/text-call-format.ts';
import { textCallStream } from './text-call-stream.ts';
import { readTextCalls, type TextCallReply } from './read-text-calls.ts';

/** What came of a request: the reply as it is to be handed on, and the leak it had, if any. */
export interface GeneratedReply {
  readonly reply: ModelReply;
  readonly textCalls: TextCallReply | undefined;
}

/** Begins what each dialect is read from. A fence is shown as text until it turns out to be a call. */
const marks: Readonly<Record<TextCallFormat, readonly string[]>> = {
  'function-tags': ['<function=', '<tool_call>'],
  'tool-call-json': ['<tool_call>'],
  invoke: ['<function_calls>', '<invoke name="', '<｜DSML｜', '<minimax:'],
  'arg-pairs': ['<tool_call>'],
  json: [],
};

/** Asks a model for native calls, and reads those that stand in the text of its reply. */
export async function generateWithTextCalls(
  model: LanguageModel,
  request: ModelRequest,
  { dialects, ...options }: GenerateOptions & { readonly dialects: readonly TextCallFormat[] },
): Promise<GeneratedReply> {
  const { onDelta, signal } = options;
  if (request.tools.length === 0) return { reply: await model.generate(request, options), textCalls: undefined };
  const alive: NonNullable<typeof onDelta> = (delta) => {
    if (!signal?.aborted) onDelta?.(delta);
  };
  const stream = onDelta && textCallStream(alive, [...new Set(dialects.flatMap((dialect) => marks[dialect]))]);
  const asked = { ...options, ...(stream && { onDelta: (delta: Delta) => stream.push(delta) }) };
  const reply = await model.generate(request, asked);
  const leak = readTextCalls(reply, request, dialects);
  const whole = leak?.reply ?? reply;
  stream?.end(whole.message, leak?.format !== undefined);
  if (signal?.aborted) throw new LlmError('aborted', 'The model call was aborted.', { cause: signal.reason });
  return { reply: whole, textCalls: leak };
}
