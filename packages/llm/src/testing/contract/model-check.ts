import { text } from '@varve/events';
import type { LanguageModel } from '../../language-model.ts';
import type { ModelRequest } from '../../model-request.ts';
import type { ScriptedStep } from '../script/scripted-step.ts';

/**
 * Opens a new model for one check. A model with its own protocol is served by a peer that gets each reply from a
 * `scriptedModel` of these steps; a `fault` is then an `unavailable` error, on which the peer breaks its connection.
 */
export type OpenModel = (steps: Iterable<ScriptedStep>) => Promise<AsyncDisposable & { readonly model: LanguageModel }>;

/** One requirement of every language model. */
export interface ModelCheck {
  readonly title: string;
  /**
   * Precondition of the check. `call-fields`: the protocol has fields for calls, which carry ids and the bytes of
   * arguments; skip these checks for models whose calls are text. `live`: deltas are emitted before the reply is
   * complete; skip these checks for models whose replies exist in advance.
   */
  readonly needs?: 'call-fields' | 'live';
  /** Rejects when the model does not meet the requirement. */
  run(open: OpenModel): Promise<void>;
}

/** Returns a request with one user message. */
export function userRequest(question: string, fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messages: [{ role: 'user', content: [text(question)], thinking_blocks: [] }],
    tools: [],
    parameters: {},
    ...fields,
  };
}
