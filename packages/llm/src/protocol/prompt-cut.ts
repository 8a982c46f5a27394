import type { TokenUsage } from '@varve/events';
import { estimateRequest } from '../estimate-request.ts';
import type { ModelRequest } from '../model-request.ts';

/** Evidence that a server read only part of a prompt, or that its window differs from the configured one. */
export interface PromptCut {
  /** Input tokens that the server reported. */
  readonly readTokens: number;
  /** Estimated tokens of the request. */
  readonly sentTokens: number;
  /** The configured window, when the server read more than it. */
  readonly contextWindow?: number;
}

/** Reported usage and known limits of the server. */
export interface PromptCutOptions {
  readonly usage: TokenUsage | undefined;
  readonly contextWindow: number | undefined;
  /** True when the server is known to drop the start of a long prompt. */
  readonly cutsPrompts: boolean;
}

/** Smallest default window of such servers; shorter prompts are never cut. */
const minWindow = 2048;

/** Fraction of the estimate, which is rough, below which a prompt counts as cut. */
const cutFraction = 0.6;

/** Compares a request with the usage that the server reported for it. Returns undefined when they fit together. */
export function promptCut(request: ModelRequest, options: PromptCutOptions): PromptCut | undefined {
  const { usage, contextWindow, cutsPrompts } = options;
  if (!usage) return undefined;
  const { input_tokens: readTokens } = usage;
  if (contextWindow !== undefined && readTokens > contextWindow) {
    return { readTokens, sentTokens: readTokens, contextWindow };
  }
  const sentTokens = cutsPrompts ? estimateRequest(request) : 0;
  const isCut = sentTokens > minWindow && readTokens < sentTokens * cutFraction;
  return isCut ? { readTokens, sentTokens } : undefined;
}
