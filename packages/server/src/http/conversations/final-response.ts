import { eventCodec, textOf } from '@varve/events';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';
import { FinishAction } from '@varve/events/payloads';
import type { LogReader } from '@varve/storage';
import { newestFirst } from '../../reference/info/newest-first.ts';

const codec = eventCodec([ActionEvent, MessageEvent]);

/**
 * Returns the last answer of the agent on the branch that ends with `leafId`: the message of a `finish` call, or a
 * message. Empty without an answer.
 *
 * @see software-agent-sdk get_agent_final_response
 */
export async function finalResponse(log: LogReader, leafId: string | undefined): Promise<string> {
  let next = leafId;
  const end = next === undefined ? undefined : await log.seqOf(next);
  if (end === undefined) return '';
  for await (const stored of newestFirst(log, end + 1)) {
    if (stored.id !== next) continue;
    const event = codec.read(stored.text);
    if (ActionEvent.is(event) && event.action && FinishAction.is(event.action)) return event.action.message;
    if (MessageEvent.is(event) && event.source === 'agent') return textOf(event.llm_message.content);
    next = stored.parentId;
    if (next === undefined) break;
  }
  return '';
}
