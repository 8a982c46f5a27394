import { textOf } from '@varve/events';
import type { ModelReply } from '@varve/llm';
import { endDraft, nudgeDraft, statusDraft, unreadDraft, type Draft } from '../log/drafts.ts';
import type { ReplyRunContext, Session, StepOutcome } from '../session.ts';
import { isMonologue } from '../stuck/monologue.ts';

const goOn =
  'Nobody can answer you now. Go on in the way you think best. When the task is done, or cannot be done, call finish.';
/** By how a reply ended: what is wrong with it, whatever it says. */
const unusable: Readonly<Partial<Record<ModelReply['finish'], string>>> = {
  length: 'Your last reply was cut off by the output limit. Continue in smaller steps.',
  'unread-calls':
    'Your last reply seems to hold a tool call within its text, where it cannot be read, so nothing was run. Make tool calls in the form that you were given for them, at the end of a reply.',
};
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
  const isUsable = textOf(reply.message.content).trim() !== '' && unusable[reply.finish] === undefined;
  if (isUsable && agent.textReply === 'finish') {
    await journal.emit(() => [...drafts, endDraft(hasReadAll())]);
    return { kind: journal.timeline.read('status').execution === 'finished' ? 'finished' : 'continue' };
  }
  if (isUsable && agent.textReply === 'wait') {
    await journal.emit(() => [...drafts, hasReadAll() ? statusDraft('idle') : unreadDraft()]);
    return { kind: journal.timeline.read('status').execution === 'idle' ? 'asked' : 'continue' };
  }
  const problem = unusable[reply.finish] ?? saidNothing;
  return tell(isUsable ? goOn : problem, drafts, session);
}

/** Stores what there is of an unusable reply, and tells the model why it is none; the run ends when that does not help. */
export async function tell(problem: string, drafts: readonly Draft[], session: Session): Promise<StepOutcome> {
  const { journal, agent } = session;
  const isStuck = agent.stuck !== 'never' && isMonologue(journal.timeline.read('view').events, agent.stuck);
  await journal.emit([...drafts, isStuck ? statusDraft('stuck') : nudgeDraft(problem)]);
  return { kind: isStuck ? 'stuck' : 'continue' };
}
