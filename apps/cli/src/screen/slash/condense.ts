import type { SessionCommand } from '../session-command.ts';
import { openConversation } from './captured.ts';

/** Shortens what the model sees. */
export const condense: SessionCommand = {
  name: 'condense',
  argument: '[FOCUS]',
  description: 'shortens what the model sees; the log keeps everything',
  async run(session, focus) {
    const conversation = openConversation(session);
    if (!conversation) return;
    session.screen.status.set('condensing');
    try {
      const isCondensed = await conversation.condense({ focus });
      if (!isCondensed) session.screen.print('Nothing of the conversation can be left out.', 'yellow');
    } finally {
      session.screen.status.set(undefined);
    }
  },
};
