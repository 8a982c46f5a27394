import type { Conversation } from '@varve/agent';
import { textOf, type BaseEvent } from '@varve/events';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';
import { FinishAction } from '@varve/events/payloads';

const maxExcerptLength = 100;

/**
 * Returns the lines above a run: id, model and directory, and for a resumed conversation what it is about. `before` is
 * the state when it was opened.
 */
export function openingLines(
  { id, workspace, model }: Pick<Conversation, 'id' | 'workspace'> & { readonly model: string },
  before: Conversation['state'] | undefined,
): readonly string[] {
  const first = `conversation ${id} · ${model} in ${workspace}`;
  if (!before) return [first];
  const title = excerpt(before.title ?? '');
  const last = excerpt(lastText(before.view.events));
  const parts = [
    ...(title === '' ? [] : [`"${title}"`]),
    before.head === 1 ? '1 event' : `${before.head} events`,
    ...(last === '' ? [] : [`last message: ${last}`]),
  ];
  return [first, `resumed: ${parts.join(' · ')}`];
}

/** Returns the last message of the user or the agent. */
export function lastText(events: readonly BaseEvent[]): string {
  for (const event of events.toReversed()) {
    if (MessageEvent.is(event) && event.source !== 'environment') return textOf(event.llm_message.content);
    const finish = ActionEvent.is(event) ? FinishAction.read(event.action) : undefined;
    if (finish) return finish.message;
  }
  return '';
}

function excerpt(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.length > maxExcerptLength ? `${line.slice(0, maxExcerptLength - 1)}…` : line;
}
