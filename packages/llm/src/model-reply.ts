import type { Message, TokenUsage } from '@varve/events';
import type { FailedAttempt } from './error.ts';

/**
 * Why a reply ended. `tool-calls` only with calls; `length`: the output limit cut it, so its last call must not be trusted;
 * `unread-calls`: its text seems to hold calls in a notation that nobody reads, and nothing of it was run.
 */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'unread-calls' | 'unknown';

/** One complete reply. */
export interface ModelReply {
  /** The provider's id of the reply, or a generated one: unique within a conversation, never empty. */
  readonly id: string;
  /** The model that answered, as the provider names it. */
  readonly model: string;
  /**
   * Role `assistant`. `content` holds no blank block: it is empty when only calls came. Calls have ids that are not empty
   * and unique within the reply, and `arguments` as they came; their `origin` is `responses` for calls that must go back
   * to the Responses protocol, else `completion`. `reasoning_content` is the reasoning that people may read, whatever the
   * provider's own form of it that goes along. What else a provider wants back is in `extra`.
   */
  readonly message: Message;
  readonly finish: FinishReason;
  /**
   * By call id: why a call must not be run, in words for the model; absent when all may. Only models whose calls are read
   * from text tell this: the arguments of such a call are what the model wrote, and need not be JSON.
   */
  readonly invalidCalls?: Readonly<Record<string, string>>;
  /** Absent when the provider told none. */
  readonly usage?: TokenUsage;
  /** US dollars; absent when the price is unknown. */
  readonly costUsd?: number;
  /** What earlier attempts of this call used that led to no reply, beside `usage` and `costUsd`; absent when none told. */
  readonly failedAttempts?: readonly FailedAttempt[];
  /** Milliseconds from sending the successful attempt to the end of its reply. */
  readonly latencyMs: number;
  /** How often the request was sent, the successful attempt included. */
  readonly attempts: number;
}
