import { LlmError } from '../error.ts';
import type { ModelWrapper } from '../language-model.ts';
import { mockFunctionCalling, type MockFunctionCallingOptions } from './mock-function-calling.ts';

/** Which way calls travel. */
export interface FunctionCallingOptions extends MockFunctionCallingOptions {
  /**
   * `native`: in the fields of the protocol. `mock`: as text. `auto`, which is the default: natively, until the model is
   * known to take no tools, or its provider rejects them.
   */
  readonly mode?: 'native' | 'mock' | 'auto';
  /** Told once, when a provider's rejection makes `auto` change over. Must not throw. */
  readonly onSwitch?: (error: LlmError) => void;
}

/**
 * Chooses how calls travel; whoever asks the model cannot tell. After a rejection the same request is sent again as text, and
 * so are all later ones of this model.
 */
export function functionCalling({ mode = 'auto', onSwitch, ...options }: FunctionCallingOptions = {}): ModelWrapper {
  return (model) => {
    if (mode === 'native') return model;
    const mock = mockFunctionCalling(options)(model);
    if (mode === 'mock' || !model.capabilities.functionCalling) return mock;
    let current = model;
    return {
      name: model.name,
      capabilities: model.capabilities,
      spec: { kind: 'function-calling', mode, model: model.spec },
      async generate(request, generateOptions) {
        const asked = current;
        try {
          return await asked.generate(request, generateOptions);
        } catch (error) {
          if (asked === mock || request.tools.length === 0 || !rejectsTools(error)) throw error;
          // Calls that were under way together are rejected one after the other.
          if (current !== mock) onSwitch?.(error);
          current = mock;
          return mock.generate(request, generateOptions);
        }
      },
    };
  };
}

function rejectsTools(error: unknown): error is LlmError {
  return (
    error instanceof LlmError && error.code === 'unsupported' && /\btools?\b|tool[ _-]|function/i.test(error.message)
  );
}
