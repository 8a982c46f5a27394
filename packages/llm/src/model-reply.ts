import type { Message, TokenUsage } from '@varve/events';
import type { FailedAttempt } from './error.ts';

/**
 * Reason why a reply ended. `tool-calls`: only with calls. `length`: the output limit cut the reply, so its last call
 * must not be trusted. `unread-calls`: its text seems to contain calls in a format that was not read, and no call was
 * run.
 */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'unread-calls' | 'unknown';

/** A complete reply. */
export interface ModelReply {
  /** The provider's id of the reply, or a generated one: unique within a conversation, never empty. */
  readonly id: string;
  /** The model that answered, as the provider names it. */
  readonly model: string;
  /**
   * Role `assistant`. `content` has no blank block: it is empty for a reply of calls only. Calls have unique, non-empty
   * ids and `arguments` as received; their `origin` is `responses` for calls that must be returned to the Responses
   * protocol, else `completion`. `reasoning_content` is the readable reasoning, also when the message contains the
   * provider's own form of it. `extra` contains other fields that a provider requires back.
   */
  readonly message: Message;
  readonly finish: FinishReason;
  /** Form in which the model can write a call that was not read, with `unread-calls`; absent for other replies. */
  readonly callForm?: string;
  /**
   * By call id: the reason why a call must not be run, as a text for the model; absent when all may run. Only set for
   * calls read from text: the arguments of such a call are the text that the model wrote, which need not be JSON.
   */
  readonly invalidCalls?: Readonly<Record<string, string>>;
  /** Absent when the provider reported none. */
  readonly usage?: TokenUsage;
  /** US dollars; absent when the price is unknown. */
  readonly costUsd?: number;
  /**
   * Usage of earlier attempts without a reply, not included in `usage` and `costUsd`; absent when none reported usage.
   */
  readonly failedAttempts?: readonly FailedAttempt[];
  /** Milliseconds from sending the successful attempt to the end of its reply. */
  readonly latencyMs: number;
  /** Number of times the request was sent, including the successful attempt. */
  readonly attempts: number;
}
