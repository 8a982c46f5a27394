import type { Conversation } from '@varve/agent';
import type { PreparedAgent } from '@varve/settings/agent';
import { redactor } from '@varve/text';
import { openRun } from '../run/open-run.ts';
import type { RunOptions } from '../run/run-options.ts';
import { plainText } from '../terminal/output.ts';
import { Follower } from './follower.ts';
import type { Screen } from './screen.ts';
import type { ScreenQuestions } from './screen-questions.ts';

/** Conversation that is open on a screen. */
export interface OpenSession extends AsyncDisposable {
  readonly conversation: Conversation;
  readonly prepared: PreparedAgent;
  readonly follower: Follower;
}

/** Creates or opens the conversation of the options, and shows its events from one on. `from` gets their number. */
export async function openSession(
  options: RunOptions,
  screen: Screen,
  questions: ScreenQuestions,
  from: (head: number) => Promise<number>,
): Promise<OpenSession> {
  await using open = new AsyncDisposableStack();
  const progress = { lineAbove: (line: Parameters<typeof plainText>[0]) => screen.print(plainText(line), 'yellow') };
  const { io } = questions;
  const { conversation, prepared } = await openRun(options, { io, progress, questions }, open);
  screen.live.setRedactor(redactor(prepared.secrets, { replacement: '<secret-hidden>' }));
  const follower = new Follower(conversation, screen, await from(conversation.state.head));
  await follower.caughtUp();
  const owned = open.move();
  return {
    conversation,
    prepared,
    follower,
    async [Symbol.asyncDispose]() {
      await follower.finish();
      await owned.disposeAsync();
    },
  };
}
