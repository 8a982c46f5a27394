import type { Json } from '@varve/events';
import { withoutUndefined } from '@varve/text';
import type { Delta } from '../delta.ts';
import { LlmError, throwIfAborted } from '../error.ts';
import type { GenerateOptions, LanguageModel, ModelWrapper } from '../language-model.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest } from '../model-request.ts';
import { wrappedModel } from '../wrapped-model.ts';
import { textCallFormats, textCallReaders, type TextCallFormat } from '../text-calls/formats/readers.ts';
import { readTextCalls, type TextCallReply } from '../text-calls/read-text-calls.ts';
import { textCallStream } from '../text-calls/text-call-stream.ts';
import { mockFunctionCalling, type MockFunctionCallingOptions } from './mock-function-calling.ts';

/** Notice of a native reply whose text contained calls. */
export interface TextCallNotice {
  /** Format in which the calls were read; absent when they were not read. */
  readonly format?: TextCallFormat;
}

/** Options of {@link functionCalling}. */
export interface FunctionCallingOptions extends MockFunctionCallingOptions {
  /**
   * `native`: calls use the fields of the protocol. `mock`: calls are text. `auto` (default): native, until the model
   * is known to support no tools, its provider rejects them, or the text of two consecutive replies contained calls.
   */
  readonly mode?: 'native' | 'mock' | 'auto';
  /**
   * Formats in which calls are read from the text of native replies, when the server did not do that; all by default. A
   * reply with calls in another format ends with the finish reason `unread-calls`.
   */
  readonly textCallFormats?: readonly TextCallFormat[];
  /** Called once when `auto` switches to mock function calling, with the cause. Must not throw. */
  readonly onSwitch?: (error: LlmError) => void;
  /** Called for each native reply whose text contained calls, read or not. Must not throw. */
  readonly onTextCalls?: (notice: TextCallNotice) => void;
}

/** Number of consecutive replies with calls in their text after which `auto` switches to mock function calling. */
const repliesBeforeSwitch = 2;

/**
 * Selects native or mock function calling, invisibly to callers. After a rejection of tools, the same request and all
 * later requests of this model use mock function calling.
 */
export function functionCalling({ mode = 'auto', ...options }: FunctionCallingOptions = {}): ModelWrapper {
  return (model) => {
    const mock = mockFunctionCalling(options)(model);
    if (mode === 'mock' || (mode === 'auto' && !model.capabilities.functionCalling)) return mock;
    const native = nativeCalling(model, options);
    return mode === 'native' ? native.model : autoCalling(native, mock, options);
  };
}

interface Native {
  /** The wrapped model. */
  readonly inner: LanguageModel;
  readonly model: LanguageModel;
  /** Returns the number of consecutive replies, up to the last one, whose text contained calls. */
  readonly textCallStreak: () => number;
}

function nativeCalling(model: LanguageModel, options: FunctionCallingOptions): Native {
  const { textCallFormats: formats = textCallFormats, onTextCalls } = options;
  let streak = 0;
  const generate: LanguageModel['generate'] = async (request, generateOptions) => {
    const { reply, textCalls } = await generateWithTextCalls(model, request, { ...generateOptions, formats });
    const mayCall = request.tools.length > 0 && request.parameters.toolChoice !== 'none';
    if (mayCall) streak = textCalls ? streak + 1 : 0;
    if (textCalls) onTextCalls?.({ ...(textCalls.format && { format: textCalls.format }) });
    return reply;
  };
  const native = wrappedModel(model, generate, specOf('native', model, options));
  return { inner: model, model: native, textCallStreak: () => streak };
}

/**
 * Generates a reply with native function calling, in the form that callers receive, and reads calls that the server
 * left in its text, if any.
 */
async function generateWithTextCalls(
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

/** Returns the spec with the options that were given. */
function specOf(
  mode: 'auto' | 'native',
  model: LanguageModel,
  { callsPerReply, example, textCallFormats: formats }: FunctionCallingOptions,
): Json {
  return {
    kind: 'function-calling',
    mode,
    ...withoutUndefined({ callsPerReply, example, textCallFormats: formats }),
    model: model.spec,
  };
}

function autoCalling(
  { model, inner, textCallStreak }: Native,
  mock: LanguageModel,
  options: FunctionCallingOptions,
): LanguageModel {
  let current = model;
  const switchToMock = (error: LlmError): void => {
    // Concurrent calls are all rejected, but the switch is reported once.
    if (current !== mock) options.onSwitch?.(error);
    current = mock;
  };
  const generate: LanguageModel['generate'] = async (request, generateOptions) => {
    const used = current;
    try {
      const reply = await used.generate(request, generateOptions);
      if (used !== mock && textCallStreak() >= repliesBeforeSwitch) {
        switchToMock(new LlmError('unsupported', `${model.name} repeatedly wrote its tool calls into its text.`));
      }
      return reply;
    } catch (error) {
      if (used === mock || request.tools.length === 0 || !rejectsTools(error)) throw error;
      switchToMock(error);
      return mock.generate(request, generateOptions);
    }
  };
  return wrappedModel(inner, generate, specOf('auto', inner, options));
}

function rejectsTools(error: unknown): error is LlmError {
  return (
    error instanceof LlmError && error.code === 'unsupported' && /\btools?\b|tool[ _-]|function/i.test(error.message)
  );
}
