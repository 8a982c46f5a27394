import { LlmError } from '../error.ts';
import type { LanguageModel, ModelWrapper } from '../language-model.ts';
import type { TextCallFormat } from '../text-calls/formats/text-call-format.ts';
import { generateWithTextCalls } from '../text-calls/generate-with-text-calls.ts';
import { mockFunctionCalling, type MockFunctionCallingOptions } from './mock-function-calling.ts';

/** A reply of a native model that had calls in its text. */
export interface TextCallNotice {
  /** The notation in which they were read; absent when nothing was read. */
  readonly format?: TextCallFormat;
}

/** Which way calls travel. */
export interface FunctionCallingOptions extends MockFunctionCallingOptions {
  /**
   * `native`: in the fields of the protocol. `mock`: as text. `auto`, which is the default: natively, until the model is
   * known to take no tools, its provider rejects them, or two replies in a row had calls in their text.
   */
  readonly mode?: 'native' | 'mock' | 'auto';
  /**
   * In which notations calls are read from the text of a native model, whose server should have done that; `function-tags`
   * and `tool-call-json` when absent. A reply with calls in any other ends as `unread-calls`.
   */
  readonly textCallFormats?: readonly TextCallFormat[];
  /** Told once, when `auto` changes over, with what made it. Must not throw. */
  readonly onSwitch?: (error: LlmError) => void;
  /** Told of each reply of a native model that had calls in its text, read or not. Must not throw. */
  readonly onTextCalls?: (notice: TextCallNotice) => void;
}

/** So many replies in a row with calls in their text are the habit of a server. */
const habit = 2;

/**
 * Chooses how calls travel; whoever asks the model cannot tell. After a rejection the same request is sent again as text, and
 * so are all later ones of this model.
 */
export function functionCalling({ mode = 'auto', ...options }: FunctionCallingOptions = {}): ModelWrapper {
  return (model) => {
    const mock = mockFunctionCalling(options)(model);
    if (mode === 'mock' || (mode === 'auto' && !model.capabilities.functionCalling)) return mock;
    const native = nativeCalling(model, options);
    return mode === 'native' ? native.model : switching(native, mock, options);
  };
}

interface Native {
  readonly model: LanguageModel;
  /** How many replies in a row had calls in their text. */
  readonly leaksInARow: () => number;
}

function nativeCalling(model: LanguageModel, options: FunctionCallingOptions): Native {
  const { textCallFormats: dialects = ['function-tags', 'tool-call-json'], onTextCalls: onLeak } = options;
  let inARow = 0;
  return {
    leaksInARow: () => inARow,
    model: {
      name: model.name,
      capabilities: model.capabilities,
      spec: model.spec,
      async generate(request, generateOptions) {
        const { reply, textCalls: leak } = await generateWithTextCalls(model, request, {
          ...generateOptions,
          dialects,
        });
        const mayCall = request.tools.length > 0 && request.parameters.toolChoice !== 'none';
        if (mayCall) inARow = leak ? inARow + 1 : 0;
        if (leak) onLeak?.({ ...(leak.format && { format: leak.format }) });
        return reply;
      },
    },
  };
}

function switching({ model, leaksInARow }: Native, mock: LanguageModel, options: FunctionCallingOptions) {
  let current = model;
  const change = (error: LlmError): void => {
    // Calls that were under way together are rejected one after the other.
    if (current !== mock) options.onSwitch?.(error);
    current = mock;
  };
  const wrapped: LanguageModel = {
    name: model.name,
    capabilities: model.capabilities,
    spec: { kind: 'function-calling', mode: 'auto', model: model.spec },
    async generate(request, generateOptions) {
      const asked = current;
      try {
        const reply = await asked.generate(request, generateOptions);
        if (asked !== mock && leaksInARow() >= habit) {
          change(new LlmError('unsupported', `${model.name} wrote its tool calls into its text again and again.`));
        }
        return reply;
      } catch (error) {
        if (asked === mock || request.tools.length === 0 || !rejectsTools(error)) throw error;
        change(error);
        return mock.generate(request, generateOptions);
      }
    },
  };
  return wrapped;
}

function rejectsTools(error: unknown): error is LlmError {
  return (
    error instanceof LlmError && error.code === 'unsupported' && /\btools?\b|tool[ _-]|function/i.test(error.message)
  );
}
