import type { SessionCommand } from '../session-command.ts';
import { openConversation } from './captured.ts';

/** Changes the title. */
export const rename: SessionCommand = {
  name: 'rename',
  argument: 'TITLE',
  description: 'changes the title of the conversation',
  async run(session, title) {
    const conversation = openConversation(session);
    if (!conversation) return;
    await conversation.rename(title);
    session.screen.print(`The title is now: ${title}`, 'dim');
  },
};
