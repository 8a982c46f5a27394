import type { Conversation, RunResult } from '@varve/agent';
import type { BaseEvent } from '@varve/events';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';
import { CallDecisions } from '../run/decide-calls.ts';
import type { RunOptions } from '../run/run-options.ts';
import type { Work } from '../run/start-work.ts';
import type { OpenSession } from './open-session.ts';
import type { ScreenQuestions } from './screen-questions.ts';
import type { Screen } from './screen.ts';

/** What a run on a screen uses. */
export interface ScreenRun {
  readonly open: OpenSession;
  readonly options: RunOptions;
  readonly questions: ScreenQuestions;
  readonly screen: Screen;
  /** Ends the run, and leaves a question undecided. */
  readonly signal: AbortSignal;
}

/** Runs until there is nothing left to decide and no message that the agent has not read. */
export async function runOnScreen(work: Work, run: ScreenRun): Promise<RunResult> {
  const { open, options, questions, screen, signal } = run;
  const { conversation, follower, neverAsks } = open;
  const decisions = new CallDecisions(options, questions);
  for (;;) {
    screen.status.set('waiting for the model');
    const result = await work({
      onDelta: (delta) => {
        screen.status.set(delta.kind === 'reasoning' ? 'thinking' : 'writing');
        follower.addDelta(delta);
      },
      onOutput: (chunk, event) => {
        screen.status.set(`running ${event.tool_name}`);
        screen.live.addOutput(chunk, event.id);
        screen.draw();
      },
      ...(!neverAsks && { askOutside: async (refusal, event) => questions.allowsOutside(refusal, event) }),
      onChildWaiting: async ({ subAgent, conversation: child }) => {
        await decisions.decide(child, signal, subAgent);
      },
    });
    await follower.caughtUp();
    if (result.reason === 'waiting' && !signal.aborted && (await decisions.decide(conversation, signal))) continue;
    const isDone = result.reason === 'finished' || result.reason === 'asked';
    if (!isDone || !hasUnreadMessage(conversation)) return result;
  }
}

/** Reports whether a message of the user came after everything that the agent wrote. */
function hasUnreadMessage({ state }: Conversation): boolean {
  const last = state.view.events.findLast(
    (event) => isOfAgent(event) || (MessageEvent.is(event) && event.source === 'user'),
  );
  return last !== undefined && !isOfAgent(last);
}

function isOfAgent(event: BaseEvent): boolean {
  return ActionEvent.is(event) || (MessageEvent.is(event) && event.source === 'agent');
}
