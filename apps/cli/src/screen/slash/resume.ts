import { chooseConversation } from '../../conversations/choose-conversation.ts';
import { openExistingStore } from '../../home/open-configured-store.ts';
import type { SessionCommand } from '../session-command.ts';

/** Continues another conversation. */
export const resume: SessionCommand = {
  name: 'resume',
  argument: '[ID]',
  description: 'continues another conversation',
  async run(session, argument) {
    const { io, screen, options } = session;
    const chosen = argument === '' ? await chooseIn() : argument;
    if (chosen === undefined) return;
    await session.switchTo(chosen);

    async function chooseIn(): Promise<string | undefined> {
      await using store = await openExistingStore(io, options.store);
      return chooseConversation(store, io, async (choice) => screen.choose(choice));
    }
  },
};
