import type { RunResult } from '@varve/agent';
import { hasUnreadMessage } from '../run/has-unread-message.ts';
import { modeOf } from '../run/confirm-modes.ts';
import type { CallDecisions } from '../run/decide-calls.ts';
import type { Work } from '../run/start-work.ts';
import type { OpenSession } from './open-session.ts';
import type { ScreenQuestions } from './screen-questions.ts';
import type { Screen } from './screen.ts';

/** What a run on a screen uses. */
export interface ScreenRun {
  readonly open: OpenSession;
  readonly decide: CallDecisions['decide'];
  readonly questions: ScreenQuestions;
  readonly screen: Screen;
  /** Ends the run, and leaves a question undecided. */
  readonly signal: AbortSignal;
}

/** Runs until there is nothing left to decide and no message that the agent has not read. */
export async function runOnScreen(work: Work, run: ScreenRun): Promise<RunResult> {
  const { open, decide, questions, screen, signal } = run;
  const { conversation, follower } = open;
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
      askOutside: async (refusal, event) =>
        modeOf(conversation.confirmation) !== 'never' && questions.allowsOutside(refusal, event),
      onChildWaiting: async ({ subAgent, conversation: child }) => {
        await decide(child, signal, subAgent);
      },
    });
    await follower.caughtUp();
    if (result.reason === 'waiting' && !signal.aborted && (await decide(conversation, signal))) continue;
    const isDone = result.reason === 'finished' || result.reason === 'asked';
    if (!isDone || !hasUnreadMessage(conversation)) return result;
  }
}
