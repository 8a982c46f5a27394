import type { SessionCommand } from '../session/session-command.ts';
import { storedId } from './captured.ts';

/** Continues in a copy of the conversation. */
export const fork: SessionCommand = {
  name: 'fork',
  description: 'continues in a copy; the original stays as it is',
  async run(session) {
    const from = storedId(session);
    if (from === undefined || !session.conversation) return;
    const copy = await session.conversation.fork();
    const { id } = copy;
    await copy[Symbol.asyncDispose]();
    session.screen.clear();
    await session.reopen({ resume: id });
    session.screen.print(`This is a copy, ${id.slice(0, 8)}, of ${from.slice(0, 8)}.`, 'dim');
  },
};
