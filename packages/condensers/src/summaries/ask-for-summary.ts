import type { BaseEvent } from '@varve/events';
import type { LanguageModel, ModelReply } from '@varve/llm';
import type { CondenseContext } from '../condenser.ts';
import { summaryRequest, type SummaryTask } from './summary-request.ts';

/** Options of {@link askForSummary}. */
export interface AskOptions {
  readonly task: SummaryTask;
  /** Model to ask; default that of the agent. */
  readonly model?: LanguageModel;
  /** Maximum length of each text in an event, in UTF-16 units. */
  readonly maxTextLength: number;
}

/** Characters of a token in JSON of code and prose, rounded down: the tokenizer of the model is not known. */
const charactersPerToken = 3;
/** Tokens of the instructions and of the reply. */
const reservedTokens = 6_000;
/** Length of the rendered events for a model of unknown window, in UTF-16 units. */
const usualLength = 300_000;
/** Number of requests; each has half the length of the one before. */
const maxAttempts = 4;

/**
 * Asks a model about events. A request that is too long for the model is repeated with shorter texts.
 *
 * @throws {LlmError} what the model throws.
 */
export async function askForSummary(
  events: readonly BaseEvent[],
  { task, model, maxTextLength }: AskOptions,
  { callModel, maxInputTokens, focus }: CondenseContext,
): Promise<ModelReply> {
  const window = model ? model.capabilities.contextWindow : maxInputTokens;
  const fits = window === undefined ? usualLength : Math.max(window - reservedTokens, window / 2) * charactersPerToken;
  let maxLength = Math.floor(fits);
  for (let attempt = 1; ; attempt++) {
    const request = summaryRequest(events, { task, maxLength, maxTextLength, ...(focus !== undefined && { focus }) });
    try {
      return await callModel(request, model);
    } catch (error) {
      if (attempt === maxAttempts || !isOverflow(error)) throw error;
      maxLength = Math.floor(maxLength / 2);
    }
  }
}

function isOverflow(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'context-overflow';
}
