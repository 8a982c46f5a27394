import type { TokenUsage } from '@varve/events';
import { estimateRequest } from '../estimate-request.ts';
import type { ModelRequest } from '../model-request.ts';

/** What shows that a server has not read a prompt as it was sent, or that its window is not what was thought. */
export interface PromptCut {
  /** What the server says that it read. */
  readonly readTokens: number;
  /** What was sent, roughly. */
  readonly sentTokens: number;
  /** Set when more was read than the window that was given for the model. */
  readonly contextWindow?: number;
}

/** What is compared. */
export interface PromptCutOptions {
  readonly usage: TokenUsage | undefined;
  readonly contextWindow: number | undefined;
  /** Whether the server is known to leave out the beginning of a long prompt. */
  readonly cutsPrompts: boolean;
}

/** The smallest window that such servers have; what is shorter is never cut. */
const smallestWindow = 2048;

/** Less than this part of the estimate, which is rough. */
const suspicious = 0.6;

/** Undefined when nothing is wrong, as far as can be told. */
export function promptCut(request: ModelRequest, options: PromptCutOptions): PromptCut | undefined {
  const { usage, contextWindow, cutsPrompts } = options;
  if (!usage) return undefined;
  const { input_tokens: readTokens } = usage;
  if (contextWindow !== undefined && readTokens > contextWindow) {
    return { readTokens, sentTokens: readTokens, contextWindow };
  }
  const sentTokens = cutsPrompts ? estimateRequest(request) : 0;
  const isCut = sentTokens > smallestWindow && readTokens < sentTokens * suspicious;
  return isCut ? { readTokens, sentTokens } : undefined;
}
