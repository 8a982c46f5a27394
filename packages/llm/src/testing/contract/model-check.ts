import { text } from '@varve/events';
import type { LanguageModel } from '../../language-model.ts';
import type { ModelRequest } from '../../model-request.ts';
import type { ScriptedStep } from '../script/scripted-step.ts';

/** A model whose answers follow a script, and whatever must be closed with it. */
export interface OpenedModel extends AsyncDisposable {
  readonly model: LanguageModel;
}

/**
 * Opens a fresh model for one check. A protocol of its own is served by a peer that asks a `scriptedModel` of these steps
 * for each reply; `fault` then shows as `unavailable`, and the peer breaks its connection.
 */
export type OpenModel = (steps: Iterable<ScriptedStep>) => Promise<OpenedModel>;

/** One thing that every language model must do; rejects when it does not. */
export interface ModelCheck {
  readonly title: string;
  /**
   * What a model must have for this check: `call-fields` are fields for calls in its protocol, which carry ids and the bytes
   * of arguments; `live` are pieces that are handed out before the reply is whole. A model whose calls are written into the
   * text leaves out the former checks, one that has its replies already the latter.
   */
  readonly needs?: 'call-fields' | 'live';
  run(open: OpenModel): Promise<void>;
}

/** A request with one user message. */
export function userRequest(question: string, fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messages: [{ role: 'user', content: [text(question)], thinking_blocks: [] }],
    tools: [],
    parameters: {},
    ...fields,
  };
}
