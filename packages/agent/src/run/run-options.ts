import type { ActionEvent } from '@varve/events/kinds';
import type { Delta } from '@varve/llm';
import type { Refusal } from '@varve/sandbox';
import type { Limits } from '../budget/limits.ts';
import type { AnswerWaitingChild } from '../agent/sub-agent-tasks.ts';

/**
 * Options of one run. Its limits count what this run uses, in addition to the agent's budget for the conversation;
 * `maxIterations` replaces the budget's.
 */
export interface RunOptions extends Limits {
  /** Aborting interrupts the run: the model call and tools are cancelled, and open calls are answered. */
  readonly signal?: AbortSignal;
  /** Receives pieces of replies as they arrive. Provisional; must not throw. */
  readonly onDelta?: (delta: Delta) => void;
  /**
   * Called when calls of a sub-agent wait for approval; default: its task ends, and the calls wait. Passed on to the
   * sub-agents of sub-agents.
   */
  readonly onChildWaiting?: AnswerWaitingChild;
  /**
   * Answers a reply of text of an agent with `textReply: 'wait'`: a text is stored as a message of the user, and the
   * run continues; undefined or an empty text ends it as `asked`. Default: the run ends.
   */
  readonly onQuestion?: (question: string, signal: AbortSignal) => Promise<string | undefined> | string | undefined;
  /** Receives output of calls as it arrives. Provisional and not masked; must not throw. */
  readonly onOutput?: (chunk: string, event: ActionEvent) => void;
  /**
   * Asks a person whether a call to which the sandbox refused something runs once more outside of it. Calls of
   * sub-agents do not. Default: no call does.
   */
  readonly askOutside?: (question: OutsideQuestion, signal: AbortSignal) => Promise<boolean>;
}

/** Question whether a call runs outside of the sandbox. */
export interface OutsideQuestion {
  /** Call with the action that runs. */
  readonly event: ActionEvent;
  readonly refusal: Refusal;
  readonly workspace: string;
  /** Directories other than the workspace in which it would start. */
  readonly directories: readonly string[];
}
