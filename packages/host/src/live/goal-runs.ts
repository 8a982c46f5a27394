import { AgentError, type GoalLoop } from '@varve/agent';
import type { RunParts } from './execute-run.ts';
import { pauseNow, requestLoop } from './run-requests.ts';

/** Requests about the goal of a conversation, which a loop of runs pursues in the background. */
export interface GoalRuns {
  /** Pursues an objective. @throws {AgentError} `busy`. */
  start(objective: string, maxIterations: number): Promise<void>;
  /** Continues an interrupted goal. @throws {AgentError} `busy`, `nothing-to-do` without one. */
  resume(): Promise<void>;
  /** Stops the loop. A run in progress continues to its end. */
  stop(): Promise<void>;
}

/** Creates the requests about a goal. */
export function goalRuns(parts: RunParts): GoalRuns {
  const { conversation, slot } = parts;
  const loop = (request: () => Promise<GoalLoop>): Promise<void> =>
    slot.inOrder(async () => {
      await slot.assertIdle();
      await slot.admit();
      await requestLoop(request, parts);
    });
  return {
    start: (objective, maxIterations) => loop(() => conversation.goal.request(objective, maxIterations)),
    async resume() {
      const { goal } = conversation;
      if (goal.state?.status !== 'interrupted') throw new AgentError('nothing-to-do', 'no_resumable_goal');
      await loop(() => goal.requestResume());
    },
    stop: () =>
      slot.inOrder(async () => {
        const { goal } = conversation;
        const isQueued = slot.run?.hasStarted === false && goal.state?.status === 'running';
        if (isQueued) await pauseNow(parts);
        else await goal.stop();
      }),
  };
}
