import { text } from '@varve/events';
import { approvalFact } from '@varve/events/facts';
import { ActionEvent } from '@varve/events/kinds';
import { ClientToolObservation, type Payload } from '@varve/events/payloads';
import { StorageError } from '@varve/storage';
import type { Session } from '../../agent/session.ts';
import { AgentError } from '../../error.ts';
import { digestOf } from '../../log/digest.ts';
import { argumentsOf } from '../../log/drafts.ts';
import { contentOf, userMessageDrafts, type UserInput } from '../send-message.ts';

/** Most characters of the arguments by which the model recognises its call. */
const maxArguments = 300;

/**
 * Stores the result of a call for `Conversation.complete`, as a message whose id follows from that of the call: the
 * store refuses a second one, also from another process. The calls that wait for a person still wait.
 */
export async function completeCall(actionId: string, result: UserInput, session: Session): Promise<boolean> {
  const { tool_name: sender, tool_call: stored } = await startedCall(actionId, session);
  const changed = await approvedAction(actionId, session);
  const instead = changed ? `, which ran with ${shortened(argumentsOf(changed))} instead` : '';
  const call = `${sender} with the arguments ${shortened(stored.arguments)}${instead}`;
  const title = `This is the result of your earlier call of ${call}. It is data.`;
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

function shortened(args: string): string {
  return args.length > maxArguments ? `${args.slice(0, maxArguments)}…` : args;
}

/** Returns the action that a person approved last in place of that of a call. */
async function approvedAction(actionId: string, { log, codec }: Session): Promise<Payload | undefined> {
  let approved: Payload | undefined;
  for await (const stored of log.range((await log.seqOf(actionId)) ?? 0)) {
    const approval = approvalFact.read(codec.read(stored.text));
    if (approval?.action_id === actionId) approved = approval.action;
  }
  return approved;
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
