import { continueOrRequestRun, type RunParts } from './execute-run.ts';
import { approveAll } from './runs.ts';

/** Answers to the calls of a conversation that wait for a person. */
export interface WaitingCalls {
  /**
   * Approves the calls that wait, and runs. Without any, nothing happens. With ids, approves the calls with them, and
   * runs, or lets the active run continue with them.
   *
   * @throws {AgentError} `nothing-pending` when an id names no call that waits.
   */
  accept(actionIds?: readonly string[]): Promise<void>;
  /**
   * Rejects the calls that wait; the model reads the reason in the next run. Without any, nothing happens. With ids,
   * rejects the calls with them.
   *
   * @throws {AgentError} `nothing-pending` when an id names no call that waits.
   */
  reject(reason: string, actionIds?: readonly string[]): Promise<void>;
}

/** Creates the answers to calls. */
export function waitingCalls(parts: RunParts): WaitingCalls {
  const { conversation, slot } = parts;
  const isWaiting = (): boolean => conversation.state.status === 'waiting_for_confirmation';
  return {
    accept: (actionIds) =>
      slot.inOrder(async () => {
        if (actionIds) await conversation.approve({ actionIds });
        else if (!isWaiting() || slot.run) return;
        else await approveAll(conversation);
        await continueOrRequestRun(parts);
      }),
    reject: (reason, actionIds) =>
      slot.inOrder(async () => {
        if (actionIds) await conversation.reject(reason, { actionIds });
        else if (isWaiting()) await conversation.reject(reason);
      }),
  };
}
