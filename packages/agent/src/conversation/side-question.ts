import { text, type Content, type Message } from '@varve/events';
import type { ModelReply } from '@varve/llm';
import { callModel } from '../run/side-call.ts';
import type { Session } from '../agent/session.ts';
import type { TitleOptions } from './title.ts';

/**
 * Asks the model a question about the current view for `Conversation.ask`. Its tools are in the request and must not be
 * called; nothing is condensed when the question does not fit.
 *
 * @see software-agent-sdk ask_agent
 */
export function askSideQuestion(
  question: string,
  session: Session,
  { model = session.agent.model, signal }: Pick<TitleOptions, 'model' | 'signal'> = {},
): Promise<ModelReply> {
  const { request } = session.prepareRequest();
  const content: readonly Content[] = [
    text(`${question}\n\n(Answer in words. Do not call a tool; your task continues afterwards.)`),
  ];
  const parameters = { ...request.parameters, ...(request.tools.length > 0 && { toolChoice: 'none' as const }) };
  return callModel(
    { ...request, messages: withQuestion(request.messages, content), parameters },
    { usageId: 'ask', model, ...(signal && { signal }) },
    session,
  );
}

/** Adds the question; to the last message if that is the user's, because providers require alternating turns. */
function withQuestion(messages: readonly Message[], content: readonly Content[]): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content, thinking_blocks: [] }];
  return [...messages.slice(0, -1), { ...last, content: [...last.content, ...content] }];
}
