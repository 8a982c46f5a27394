import type { Conversation } from '@varve/agent';
import type { MessageEvent } from '@varve/events/kinds';
import { branchEvents } from '../../conversations/branch-events.ts';
import { isOfUser, typedText } from '../message-tree.ts';
import type { SessionCommand } from '../session-command.ts';
import type { Session } from '../session.ts';
import { openConversation } from './captured.ts';

/** Goes back to the point before a message of the user. Files stay as they are. */
export const rewind: SessionCommand = {
  name: 'rewind',
  description: 'goes back to an earlier message, which can be changed; files stay as they are',
  async run(session) {
    const conversation = openConversation(session);
    if (!conversation) return;
    const messages = await messagesOf(conversation);
    const items = messages.toReversed().map((event) => ({
      value: event.id,
      label: typedText(event).slice(0, 200),
    }));
    const chosen = await session.screen.choose({ title: 'Go back to before this message', items });
    const message = messages.find((event) => event.id === chosen);
    if (message) await returnTo(message, session);
  },
};

/** Returns the messages of the user on the active branch, the oldest first. */
export async function messagesOf(conversation: Conversation): Promise<readonly MessageEvent[]> {
  return (await branchEvents(conversation)).filter((event) => isOfUser(event));
}

/** Goes to the point before a message, which can be changed and sent again. */
export async function returnTo(message: MessageEvent, session: Session): Promise<void> {
  await session.goTo(message.parent_id === '__root__' ? undefined : (message.parent_id ?? undefined));
  const { screen } = session;
  screen.editor.setText(typedText(message));
  screen.print('The conversation continues from here. What came after it is kept on its own branch.', 'dim');
  screen.print('Files stay as they are: the agent does not remember what it changed in them.', 'dim');
}
