import type { SessionCommand } from '../session-command.ts';
import { openConversation } from './captured.ts';

/** Continues in a copy of the conversation. */
export const fork: SessionCommand = {
  name: 'fork',
  description: 'continues in a copy; the original stays as it is',
  async run(session) {
    const conversation = openConversation(session);
    if (!conversation) return;
    const copy = await conversation.fork();
    const { id } = copy;
    await copy[Symbol.asyncDispose]();
    await session.switchTo(id);
    session.screen.print(`This is a copy, ${id.slice(0, 8)}, of ${conversation.id.slice(0, 8)}.`, 'dim');
  },
};
