import type { EventFollower, HostedConversation } from '@varve/host';
import type { Questions } from '@varve/host/people';
import type { PreparedAgent } from '@varve/settings/agent';
import { redactor } from '@varve/text';
import { prepareRun } from '../opening/open-run.ts';
import type { RunOptions } from '../opening/run-options.ts';
import { plainText } from '../terminal/output.ts';
import type { FollowedLog } from '../conversations/branch-events.ts';
import type { Screen } from './screen.ts';
import { transcriptOf } from './transcript.ts';

/** Conversation that is open on a screen. */
export interface OpenSession extends AsyncDisposable {
  readonly hosted: HostedConversation;
  readonly prepared: PreparedAgent;
  readonly follower: EventFollower;
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
  questions: Questions,
): Promise<PreparedSession> {
  await using preparing = new AsyncDisposableStack();
  const progress = { lineAbove: (line: Parameters<typeof plainText>[0]) => screen.print(plainText(line), 'yellow') };
  const { prepared, start } = await prepareRun(options, { io: screen.io, progress, questions }, preparing);
  screen.live.setRedactor(redactor(prepared.secrets, { replacement: '<secret-hidden>' }));
  const owned = preparing.move();
  return {
    prepared,
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
    async open(from) {
      await using opening = owned.move();
      const hosted = await start(opening);
      const { conversation } = hosted;
      const follower = hosted.follow(transcriptOf(conversation, screen), await from(conversation));
      opening.defer(async () => follower.finish());
      await follower.caughtUp();
      const open = opening.move();
      return { hosted, prepared, follower, [Symbol.asyncDispose]: async () => open.disposeAsync() };
    },
  };
}
