import type { ActionEvent } from '@varve/events/kinds';
import type { Delta } from '@varve/llm';
import type { Limits } from '../budget/limits.ts';

/**
 * How one run is watched, limited and stopped. Its limits count what this run uses, whatever the agent's budget leaves of
 * the conversation's; `maxIterations` replaces the budget's.
 */
export interface RunOptions extends Limits {
  /** Aborting interrupts: the model call and tools are cancelled, and open calls are answered. */
  readonly signal?: AbortSignal;
  /**
   * Milliseconds this run may take, at most 2,147,483,647. Then it is interrupted, whatever is under way, as it is when the
   * time of the conversation is over.
   */
  readonly maxMs?: number;
  /** Pieces of replies as they come. Provisional; must not throw. */
  readonly onDelta?: (delta: Delta) => void;
  /** Output of calls as it comes. Provisional, and not masked; must not throw. */
  readonly onOutput?: (chunk: string, event: ActionEvent) => void;
}
