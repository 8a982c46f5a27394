import type { Conversation } from '@varve/agent';
import type { MessageEvent } from '@varve/events/kinds';
import { branchEvents } from '../../conversations/branch-events.ts';
import { chooseConversation } from '../../conversations/choose-conversation.ts';
import { openExistingStore } from '../../home/open-configured-store.ts';
import { planLines } from '../../wording/plan-lines.ts';
import { isOfUser, messageTree, typedText } from '../message-tree.ts';
import type { Session } from '../session.ts';
import type { SessionCommand } from '../session-command.ts';
import { onConversation } from './captured.ts';

/** Commands that continue at another place: of the conversation, in a copy, or in another conversation. */
export const moveCommands: readonly SessionCommand[] = [
  onConversation({
    name: 'fork',
    description: 'continues in a copy; the original stays as it is',
    async run(conversation, session) {
      const copy = await conversation.fork();
      const { id } = copy;
      await copy[Symbol.asyncDispose]();
      await session.switchTo(id);
      session.screen.print(`This is a copy, ${id.slice(0, 8)}, of ${conversation.id.slice(0, 8)}.`, 'dim');
    },
  }),
  onConversation({
    name: 'rewind',
    description: 'goes back to an earlier message, which can be changed, and with the files if you choose that',
    async run(conversation, session) {
      const messages = await messagesOf(conversation);
      const items = messages.toReversed().map((event) => ({ value: event.id, label: typedText(event).slice(0, 200) }));
      const chosen = await session.screen.choose({ title: 'Go back to before this message', items });
      const message = messages.find((event) => event.id === chosen);
      if (message) await returnTo(message, conversation, session);
    },
  }),
  onConversation({
    name: 'undo',
    description: 'goes back to before your last message, and with the files if you choose that',
    async run(conversation, session) {
      const last = (await messagesOf(conversation)).at(-1);
      if (last) await returnTo(last, conversation, session);
      else session.screen.print('There is no message yet.', 'yellow');
    },
  }),
  onConversation({
    name: 'tree',
    description: 'shows your messages on all branches, and continues after the one that you choose',
    async run(conversation, session) {
      const { screen } = session;
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
  }),
  {
    name: 'resume',
    argument: '[ID]',
    description: 'continues another conversation',
    async run(session, argument) {
      const chosen = argument === '' ? await chooseStored(session) : argument;
      if (chosen !== undefined) await session.switchTo(chosen);
    },
  },
  {
    name: 'clear',
    description: 'starts a new conversation; this one is kept',
    run: async (session) => session.switchTo(),
  },
];

async function chooseStored({ io, screen, options }: Session): Promise<string | undefined> {
  await using store = await openExistingStore(io, options.store);
  return chooseConversation(store, io, async (choice) => screen.choose(choice));
}

/** Returns the messages of the user on the active branch, the oldest first. */
async function messagesOf(conversation: Conversation): Promise<readonly MessageEvent[]> {
  return (await branchEvents(conversation)).filter((event) => isOfUser(event));
}

/** Goes to the point before a message, which can be changed and sent again. */
async function returnTo(message: MessageEvent, conversation: Conversation, session: Session): Promise<void> {
  const { screen } = session;
  const target = message.parent_id === '__root__' ? undefined : (message.parent_id ?? undefined);
  const plan = await conversation.navigate(target, { dryRun: true });
  for (const line of planLines(plan)) screen.print(line, 'dim');
  const isChanged = plan.steps.some(({ kind }) => kind === 'write' || kind === 'delete');
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
