import { messagesOf, returnTo } from './rewind.ts';
import type { SessionCommand } from '../session-command.ts';
import { openConversation } from './captured.ts';

/** Goes back to the point before the last message of the user, with the files if the person chooses that. */
export const undo: SessionCommand = {
  name: 'undo',
  description: 'goes back to before your last message, and with the files if you choose that',
  async run(session) {
    const conversation = openConversation(session);
    if (!conversation) return;
    const last = (await messagesOf(conversation)).at(-1);
    if (!last) return session.screen.print('There is no message yet.', 'yellow');
    await returnTo(last, session);
  },
};
