import type { Conversation } from '@varve/agent';
import type { MessageEvent } from '@varve/events/kinds';
import { branchEvents } from '../../conversations/branch-events.ts';
import { planLines } from '../../wording/plan-lines.ts';
import { isOfUser, typedText } from '../message-tree.ts';
import type { SessionCommand } from '../session-command.ts';
import type { Session } from '../session.ts';
import { openConversation } from './captured.ts';

/** Goes back to the point before a message of the user, with the files if the person chooses that. */
export const rewind: SessionCommand = {
  name: 'rewind',
  description: 'goes back to an earlier message, which can be changed, and with the files if you choose that',
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
  const { screen } = session;
  const target = message.parent_id === '__root__' ? undefined : (message.parent_id ?? undefined);
  const plan = await openConversation(session)?.navigate(target, { dryRun: true });
  const isChanged = plan?.steps.some(({ kind }) => kind === 'write' || kind === 'delete') === true;
  if (plan) for (const line of planLines(plan)) screen.print(line, 'dim');
  const chosen = isChanged ? await screen.choose({ title: 'Go back in', items: scopes }) : 'chat';
  if (chosen === undefined) return;
  const left = await session.goTo(target, chosen === 'both');
  screen.editor.setText(typedText(message));
  screen.print('The conversation continues from here. What came after it is kept on its own branch.', 'dim');
  const files = 'Files stay as they are: the agent does not remember what it changed in them.';
  screen.print(left === undefined ? files : 'Files are as they were, except for those that are listed as left.', 'dim');
  for (const path of left ?? []) screen.print(`left ${path}`, 'yellow');
}

const scopes = [
  { value: 'both', label: 'The conversation and the files' },
  { value: 'chat', label: 'The conversation; files stay as they are' },
];
