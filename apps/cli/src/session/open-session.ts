import type { Conversation } from '@varve/agent';
import type { PreparedAgent } from '@varve/settings/agent';
import { redactor } from '@varve/text';
import { prepareRun } from '../run/open-run.ts';
import type { RunOptions } from '../run/run-options.ts';
import { plainText } from '../terminal/output.ts';
import { Follower, type FollowedLog } from './follower.ts';
import type { Screen } from './screen.ts';
import type { ScreenQuestions } from './screen-questions.ts';

/** Conversation that is open on a screen. */
export interface OpenSession extends AsyncDisposable {
  readonly conversation: Conversation;
  readonly prepared: PreparedAgent;
  readonly follower: Follower;
}

/** Agent of a conversation that is not open yet. */
export interface PreparedSession extends AsyncDisposable {
  readonly prepared: PreparedAgent;
  /**
   * Creates or opens the conversation, and shows the events from the seq on that `from` returns. It is called once, in
   * place of the disposal.
   */
  open(from: (log: FollowedLog) => Promise<number>): Promise<OpenSession>;
}

/** Prepares the agent of the options. */
export async function prepareSession(
  options: RunOptions,
  screen: Screen,
  questions: ScreenQuestions,
): Promise<PreparedSession> {
  await using preparing = new AsyncDisposableStack();
  const progress = { lineAbove: (line: Parameters<typeof plainText>[0]) => screen.print(plainText(line), 'yellow') };
  const { prepared, start } = await prepareRun(options, { io: questions.io, progress, questions }, preparing);
  screen.live.setRedactor(redactor(prepared.secrets, { replacement: '<secret-hidden>' }));
  const owned = preparing.move();
  return {
    prepared,
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
    async open(from) {
      await using opening = owned.move();
      const conversation = await start(opening);
      const follower = new Follower(conversation, screen, await from(conversation));
      await follower.caughtUp();
      const open = opening.move();
      return {
        conversation,
        prepared,
        follower,
        async [Symbol.asyncDispose]() {
          await follower.finish();
          await open.disposeAsync();
        },
      };
    },
  };
}
