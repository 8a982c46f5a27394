import { AgentError } from '@varve/agent';
import { textOf } from '@varve/events';
import { CondenserError } from '@varve/condensers';
import { LlmError } from '@varve/llm';
import { RequestError } from '../../error.ts';
import type { LiveConversation } from '../live-conversation.ts';

/**
 * Asks the model a side question, which is not stored.
 *
 * @throws {AgentError} `closed`; {@link RequestError} `failed` if the model fails.
 */
export function askModel(question: string, live: LiveConversation): Promise<string> {
  const { conversation, privateValues } = live;
  return withFailures(live, async () =>
    privateValues.redactor.text(textOf((await conversation.ask(question)).message.content)),
  );
}

/**
 * Condenses the view now, or lets the next step of the active run condense it.
 *
 * @throws {AgentError} `pending` while calls wait, `closed`; {@link RequestError} `failed` if the model fails.
 */
export async function condense(live: LiveConversation): Promise<void> {
  await live.hosted.runs.settled();
  if (live.hosted.runs.isActive) await live.conversation.markRun('condensation');
  else await withFailures(live, () => live.hosted.runs.withoutRun(() => live.conversation.condense()));
}

async function withFailures<Result>(
  { conversation, privateValues }: LiveConversation,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof LlmError || cause instanceof CondenserError)) throw cause;
    // Only the end of the conversation aborts this work.
    if (cause.code === 'aborted')
      throw new AgentError('closed', `Conversation ${conversation.id} was closed.`, { cause });
    throw new RequestError('failed', privateValues.redactor.text(cause.message), { cause });
  }
}
