import { textOf } from '@varve/events';
import type { ModelReply } from '@varve/llm';
import { finishedDraft, nudgeDraft, statusDraft, unreadMessageNudge, type Draft } from '../log/drafts.ts';
import type { ReplyRunContext, Session, StepOutcome } from '../session.ts';
import { isMonologue } from '../stuck/monologue.ts';

const continueNudge =
  'Nobody can answer you now. Go on in the way you think best. When the task is done, or cannot be done, call finish.';
/** By how a reply ended: what is wrong with it, whatever it says. */
const unusableReplyNudges: Readonly<Partial<Record<ModelReply['finish'], string>>> = {
  length: 'Your last reply was cut off by the output limit. Continue in smaller steps.',
  'unread-calls':
    'Your last reply seems to hold a tool call within its text, where it cannot be read, so nothing was run. Make tool calls in the form that you were given for them, at the end of a reply.',
};
const emptyReplyNudge = 'Your last reply had neither text nor a tool call. Go on with the task, or call finish.';

/**
 * Stores a reply without calls (`drafts`). If it says something, the agent's policy tells what that means; if not, the
 * model is told what was wrong with it, until it is stuck.
 */
export async function handleTextReply(
  reply: ModelReply,
  drafts: readonly Draft[],
  session: Session,
  { sawLatestUserMessage }: ReplyRunContext,
): Promise<StepOutcome> {
  const { journal, agent } = session;
  const isUsable = textOf(reply.message.content).trim() !== '' && unusableReplyNudges[reply.finish] === undefined;
  if (isUsable && agent.textReply === 'finish') {
    await journal.emit(() => [...drafts, finishedDraft(sawLatestUserMessage())]);
    return { kind: journal.timeline.read('status').execution === 'finished' ? 'finished' : 'continue' };
  }
  if (isUsable && agent.textReply === 'wait') {
    await journal.emit(() => [...drafts, sawLatestUserMessage() ? statusDraft('idle') : unreadMessageNudge()]);
    return { kind: journal.timeline.read('status').execution === 'idle' ? 'asked' : 'continue' };
  }
  const problem = unusableReplyNudges[reply.finish] ?? emptyReplyNudge;
  return nudgeOrStop(isUsable ? continueNudge : problem, drafts, session);
}

/** Stores what there is of an unusable reply, and tells the model why it is none; the run ends when that does not help. */
export async function nudgeOrStop(problem: string, drafts: readonly Draft[], session: Session): Promise<StepOutcome> {
  const { journal, agent } = session;
  const isStuck = agent.stuck !== 'never' && isMonologue(journal.timeline.read('view').events, agent.stuck);
  await journal.emit([...drafts, isStuck ? statusDraft('stuck') : nudgeDraft(problem)]);
  return { kind: isStuck ? 'stuck' : 'continue' };
}
