import type { Delta } from '../delta.ts';
import { LlmError } from '../error.ts';
import type { GenerateOptions, LanguageModel } from '../language-model.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest } from '../model-request.ts';
import type { LeakDialect } from './formats/text-call-format.ts';
import { leakStream } from './text-call-stream.ts';
import { readLeak, type ReadLeak } from './find-text-calls.ts';

/** What came of a request: the reply as it is to be handed on, and the leak it had, if any. */
export interface ReadReply {
  readonly reply: ModelReply;
  readonly leak: ReadLeak | undefined;
}

/** Begins what each dialect is read from. A fence is shown as text until it turns out to be a call. */
const marks: Readonly<Record<LeakDialect, readonly string[]>> = {
  'function-tags': ['<function=', '<tool_call>'],
  'tool-call-json': ['<tool_call>'],
  invoke: ['<function_calls>', '<invoke name="', '<｜DSML｜', '<minimax:'],
  'arg-pairs': ['<tool_call>'],
  json: [],
};

/** Asks a model for native calls, and reads those that stand in the text of its reply. */
export async function readLeaks(
  model: LanguageModel,
  request: ModelRequest,
  { dialects, ...options }: GenerateOptions & { readonly dialects: readonly LeakDialect[] },
): Promise<ReadReply> {
  const { onDelta, signal } = options;
  if (request.tools.length === 0) return { reply: await model.generate(request, options), leak: undefined };
  const alive: NonNullable<typeof onDelta> = (delta) => {
    if (!signal?.aborted) onDelta?.(delta);
  };
  const stream = onDelta && leakStream(alive, [...new Set(dialects.flatMap((dialect) => marks[dialect]))]);
  const asked = { ...options, ...(stream && { onDelta: (delta: Delta) => stream.push(delta) }) };
  const reply = await model.generate(request, asked);
  const leak = readLeak(reply, request, dialects);
  const whole = leak?.reply ?? reply;
  stream?.end(whole.message, leak?.dialect !== undefined);
  if (signal?.aborted) throw new LlmError('aborted', 'The model call was aborted.', { cause: signal.reason });
  return { reply: whole, leak };
}
