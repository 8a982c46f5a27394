import { text, type Content, type Message } from '@varve/events';
import type { ModelReply } from '@varve/llm';
import type { Session } from '../session.ts';

/**
 * Asks the model something beside the work, with everything it sees now and its tools in view, but not to be called. It
 * leaves no event, and what it costs is in the reply only.
 *
 * @throws {LlmError} whatever the model throws; nothing is condensed when the question does not fit.
 * @see software-agent-sdk ask_agent
 */
export function askSideQuestion(question: string, session: Session, signal?: AbortSignal): Promise<ModelReply> {
  const { agent, journal, prepare } = session;
  const { request } = prepare(journal.timeline.read('view'));
  const content: readonly Content[] = [
    text(`${question}\n\n(Answer this in words. Call no tool; your work goes on afterwards.)`),
  ];
  const parameters = { ...request.parameters, ...(request.tools.length > 0 && { toolChoice: 'none' as const }) };
  return agent.model.generate(
    { ...request, messages: withQuestion(request.messages, content), parameters },
    { ...(signal && { signal }) },
  );
}

/** Providers want turns to alternate: a question after something a user said becomes part of it. */
function withQuestion(messages: readonly Message[], content: readonly Content[]): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content, thinking_blocks: [] }];
  return [...messages.slice(0, -1), { ...last, content: [...last.content, ...content] }];
}
