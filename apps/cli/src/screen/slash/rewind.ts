import { branchEvents } from '../../conversations/branch-events.ts';
import { isOfUser, typedText } from '../message-tree.ts';
import type { SessionCommand } from '../session-command.ts';
import { openConversation } from './captured.ts';

/** Goes back to the point before a message of the user. Files stay as they are. */
export const rewind: SessionCommand = {
  name: 'rewind',
  description: 'goes back to an earlier message, which can be changed; files stay as they are',
  async run(session) {
    const conversation = openConversation(session);
    const { screen } = session;
    if (!conversation) return;
    const messages = (await branchEvents(conversation)).filter((event) => isOfUser(event));
    const items = messages.toReversed().map((event) => ({
      value: event.id,
      label: typedText(event).slice(0, 200),
    }));
    const chosen = await screen.choose({ title: 'Go back to before this message', items });
    const message = messages.find((event) => event.id === chosen);
    if (!message) return;
    await session.goTo(message.parent_id === '__root__' ? undefined : (message.parent_id ?? undefined));
    screen.editor.setText(typedText(message));
    screen.print('The conversation continues from here. What came after it is kept on its own branch.', 'dim');
  },
};
