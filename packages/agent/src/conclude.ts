import { textOf } from '@varve/events';
import type { ModelReply } from '@varve/llm';
import { endDraft, nudgeDraft, statusDraft, unreadDraft } from './drafts.ts';
import type { Draft } from './journal.ts';
import type { ReplyRunContext, Session, StepOutcome } from './session.ts';
import { isMonologue } from './stuck/monologue.ts';

const goOn =
  'Nobody can answer you now. Go on in the way you think best. When the task is done, or cannot be done, call finish.';
const cutOff = 'Your last reply was cut off by the output limit. Continue in smaller steps.';
const saidNothing = 'Your last reply had neither text nor a tool call. Go on with the task, or call finish.';

/**
 * Stores a reply without calls (`drafts`). If it says something, the agent's policy tells what that means; if not, the
 * model is told what was wrong with it, until it is stuck.
 */
export async function conclude(
  reply: ModelReply,
  drafts: readonly Draft[],
  session: Session,
  { hasReadAll }: ReplyRunContext,
): Promise<StepOutcome> {
  const { journal, agent } = session;
  const isUsable = textOf(reply.message.content).trim() !== '' && reply.finish !== 'length';
  if (isUsable && agent.textReply === 'finish') {
    await journal.emit(() => [...drafts, endDraft(hasReadAll())]);
    return { kind: journal.timeline.read('status').execution === 'finished' ? 'finished' : 'continue' };
  }
  if (isUsable && agent.textReply === 'wait') {
    await journal.emit(() => [...drafts, hasReadAll() ? statusDraft('idle') : unreadDraft()]);
    return { kind: journal.timeline.read('status').execution === 'idle' ? 'asked' : 'continue' };
  }
  return tell(isUsable ? goOn : reply.finish === 'length' ? cutOff : saidNothing, drafts, session);
}

/** Stores what there is of an unusable reply, and tells the model why it is none; the run ends when that does not help. */
export async function tell(problem: string, drafts: readonly Draft[], session: Session): Promise<StepOutcome> {
  const { journal, agent } = session;
  const isStuck = agent.stuck !== 'never' && isMonologue(journal.timeline.read('view').events, agent.stuck);
  await journal.emit([...drafts, isStuck ? statusDraft('stuck') : nudgeDraft(problem)]);
  return { kind: isStuck ? 'stuck' : 'continue' };
}
