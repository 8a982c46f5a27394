import { messageTree } from '../message-tree.ts';
import type { SessionCommand } from '../session-command.ts';
import { openConversation } from './captured.ts';

/** Goes to the end of any branch, or of any message on it. */
export const tree: SessionCommand = {
  name: 'tree',
  description: 'shows your messages on all branches, and continues after the one that you choose',
  async run(session) {
    const { screen } = session;
    const conversation = openConversation(session);
    if (!conversation) return;
    const messages = await messageTree(conversation);
    if (messages.length === 0) return screen.print('There is no message yet.', 'yellow');
    const items = messages.map(({ end, lines, text, isActive }) => ({
      value: end,
      label: `${lines}${isActive ? '●' : '○'} ${text}`,
    }));
    const end = await screen.choose({ title: 'Continue after this message and its replies', items });
    if (end === undefined) return;
    await session.goTo(end);
    screen.print('The conversation continues from here.', 'dim');
  },
};
