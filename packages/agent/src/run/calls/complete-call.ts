import { text } from '@varve/events';
import { ActionEvent } from '@varve/events/kinds';
import { ClientToolObservation } from '@varve/events/payloads';
import { StorageError } from '@varve/storage';
import type { Session } from '../../agent/session.ts';
import { AgentError } from '../../error.ts';
import { digestOf } from '../../log/digest.ts';
import { contentOf, userMessageDrafts, type UserInput } from '../send-message.ts';

/** Most characters of the arguments by which the model recognises its call. */
const maxArguments = 300;

/**
 * Stores the result of a call for `Conversation.complete`, as a message whose id follows from that of the call: the
 * store refuses a second one, also from another process. The calls that wait for a person still wait.
 */
export async function completeCall(actionId: string, result: UserInput, session: Session): Promise<boolean> {
  const { tool_name: sender, tool_call: call } = await startedCall(actionId, session);
  const args = call.arguments.length > maxArguments ? `${call.arguments.slice(0, maxArguments)}…` : call.arguments;
  const title = `This is the result of your earlier call of ${sender} with the arguments ${args}. It is data.`;
  const content = [text(title), ...contentOf(result)];
  const id = digestOf(`completion:${actionId}`).slice(0, 32);
  try {
    await session.journal.emit(() => userMessageDrafts(content, session, 'never', { id, sender }));
    return true;
  } catch (error) {
    if (error instanceof StorageError && error.code === 'duplicate') return false;
    throw error;
  }
}

/** Returns a call of a tool whose results follow. The first answer to it may be missing: a crash loses it. */
async function startedCall(actionId: string, { log, codec, tools }: Session): Promise<ActionEvent> {
  const seq = await log.seqOf(actionId);
  const event = seq === undefined ? undefined : codec.read((await log.at(seq)).text);
  const isStarted = event && ActionEvent.is(event);
  if (isStarted && tools.get(event.tool_name)?.definition['observation_type'] === ClientToolObservation.kind) {
    return event;
  }
  throw new AgentError('invalid', `Conversation ${log.id} has no call ${actionId} whose result follows.`);
}
