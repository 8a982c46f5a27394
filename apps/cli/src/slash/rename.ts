import type { SessionCommand } from '../session/session-command.ts';
import { storedId } from './captured.ts';

/** Changes the title. */
export const rename: SessionCommand = {
  name: 'rename',
  argument: 'TITLE',
  description: 'changes the title of the conversation',
  async run(session, title) {
    if (storedId(session) === undefined) return;
    await session.conversation?.rename(title);
    session.screen.print(`The title is now: ${title}`, 'dim');
  },
};
