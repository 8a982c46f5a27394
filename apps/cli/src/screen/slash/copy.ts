import { textOf, type BaseEvent } from '@varve/events';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';
import { FinishAction } from '@varve/events/payloads';
import type { SessionCommand } from '../session-command.ts';
import { openConversation } from './captured.ts';

/** Copies the last reply to the clipboard of the terminal. */
export const copy: SessionCommand = {
  name: 'copy',
  description: 'copies the last reply to the clipboard',
  run(session) {
    const { screen } = session;
    const conversation = openConversation(session);
    if (!conversation) return;
    const text = conversation.state.view.events.map(replyIn).findLast((reply) => reply !== '');
    if (text === undefined) return screen.print('There is no reply yet.', 'yellow');
    screen.copy(text);
    screen.print(`Copied ${text.length} characters, if the terminal lets programs copy.`, 'dim');
  },
};

function replyIn(event: BaseEvent): string {
  if (MessageEvent.is(event) && event.source === 'agent') return textOf(event.llm_message.content);
  if (!ActionEvent.is(event)) return '';
  return FinishAction.read(event.action)?.message ?? textOf(event.thought);
}
