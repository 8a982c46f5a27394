import { textOf, type BaseEvent } from '@varve/events';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';
import { FinishAction } from '@varve/events/payloads';
import type { SessionCommand } from '../session-command.ts';
import { onConversation, runCaptured, storedId } from './captured.ts';
import { choiceCommands } from './choice-commands.ts';
import { helpCommand } from './help.ts';
import { model } from './model.ts';
import { moveCommands } from './move-commands.ts';
import { showCommands } from './show-commands.ts';

const condense = onConversation({
  name: 'condense',
  argument: '[FOCUS]',
  description: 'shortens what the model sees; the log keeps everything',
  async run(conversation, { screen }, focus) {
    screen.status.set('condensing');
    try {
      const isCondensed = await conversation.condense({ focus });
      if (!isCondensed) screen.print('Nothing of the conversation can be left out.', 'yellow');
    } finally {
      screen.status.set(undefined);
    }
  },
});

const commands: readonly SessionCommand[] = [
  model,
  ...choiceCommands,
  condense,
  { ...condense, name: 'compact', description: 'is /condense' },
  {
    name: 'continue',
    description: 'continues work that was interrupted, and asks about waiting calls again',
    async run(session) {
      if (storedId(session) !== undefined) await session.continueRun();
    },
  },
  {
    name: 'goal',
    argument: 'OBJECTIVE',
    description: 'works until a model judges the objective as met',
    async run(session, objective) {
      if (objective === '') session.screen.print('Describe the objective: /goal All tests pass', 'yellow');
      else await session.send(objective, { goal: true });
    },
  },
  ...moveCommands,
  ...showCommands,
  onConversation({
    name: 'rename',
    argument: 'TITLE',
    description: 'changes the title of the conversation',
    async run(conversation, { screen }, title) {
      await conversation.rename(title);
      screen.print(`The title is now: ${title}`, 'dim');
    },
  }),
  onConversation({
    name: 'copy',
    description: 'copies the last reply to the clipboard',
    run(conversation, { screen }) {
      const text = conversation.state.view.events.map(replyIn).findLast((reply) => reply !== '');
      if (text === undefined) return screen.print('There is no reply yet.', 'yellow');
      screen.copy(text);
      screen.print(`Copied ${text.length} characters, if the terminal lets programs copy.`, 'dim');
    },
  }),
  {
    name: 'export',
    argument: 'FILE',
    description: 'writes the conversation with its proof into a new file, or as a page into one that ends with .html',
    async run(session, file) {
      const id = storedId(session);
      if (id === undefined) return;
      if (file === '') session.screen.print('Name the file: /export FILE', 'yellow');
      else await runCaptured(['export', id, file], session);
    },
  },
  { name: 'quit', description: 'leaves, and prints how to resume', run: (session) => session.quit() },
];

/** All commands of a session in the order of the help: a new one is added to a list of its file. */
export const slashCommands: readonly SessionCommand[] = [helpCommand(commands), ...commands];

function replyIn(event: BaseEvent): string {
  if (MessageEvent.is(event) && event.source === 'agent') return textOf(event.llm_message.content);
  if (!ActionEvent.is(event)) return '';
  return FinishAction.read(event.action)?.message ?? textOf(event.thought);
}
