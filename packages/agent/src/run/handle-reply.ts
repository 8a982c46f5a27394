import { setImmediate } from 'node:timers/promises';
import { textOf, type ToolCall } from '@varve/events';
import { partialReplyFact } from '@varve/events/facts';
import type { LlmError, ModelReply } from '@varve/llm';
import { proposedCalls } from './calls/proposed-calls.ts';
import { readCall } from './calls/read-call.ts';
import { runPending } from './calls/run-pending.ts';
import { startWithReply } from './calls/start-with-reply.ts';
import { reviewCalls } from '../confirmation/gate.ts';
import { finishedDraft, nudgeDraft, statusDraft, unreadMessageNudge, type Draft } from '../log/drafts.ts';
import { newRequestFacts, type PreparedRequest } from '../request/request.ts';
import type { Session } from '../agent/session.ts';
import type { StepContext, StepOutcome } from './step-context.ts';
import { isMonologue, type StuckCause } from '../stuck/stuck-rules.ts';
import { eventsOfReply, failedAttemptDrafts, type ReplyCall, type ReplyFactContext } from './reply-events.ts';

/**
 * Stores a reply and acts on it. Its calls are read, stored as actions, and executed unless a person must confirm them.
 * A reply of text ends the run, waits or continues, by the agent's policy.
 */
export async function handleReply(
  reply: ModelReply,
  prepared: PreparedRequest,
  session: Session,
  context: StepContext,
): Promise<StepOutcome> {
  const { journal, hooks, agent } = session;
  const calls = await readCalls(reply, session);
  const valid = calls.filter((call) => call.kind === 'valid');
  const reviewed = reviewCalls(agent, proposedCalls(valid, session));
  const byEvent = new Map(reviewed.map((call) => [call.call.id, call]));
  const events = [
    ...requestFacts(prepared, session),
    ...eventsOfReply(reply, calls, byEvent, replyFactContext(prepared, session)),
  ];
  if (calls.length === 0) return handleText(reply, events, session, context);
  // Hooks decide first: a person is not asked about a call that they block.
  const hasHooks = valid.some(({ tool }) => hooks.has('PreToolUse', tool.name));
  if (!hasHooks && reviewed.some(({ review }) => review.asks)) {
    await journal.emit([...events, statusDraft('waiting_for_confirmation')]);
    return { kind: 'waiting' };
  }
  const start = context.signal.aborted ? undefined : startWithReply(calls, reviewed, session);
  await journal.emit(start ? [...events, start.draft] : events);
  return runPending(session, context, { policy: agent.policy, byEvent, ...(start && { startedId: start.id }) });
}

/** Records what was paid for, and what arrived, when no attempt led to a reply. */
export async function recordFailedCall(error: LlmError, prepared: PreparedRequest, session: Session): Promise<void> {
  const { failedAttempts: attempts } = error;
  const paid =
    attempts.length === 0
      ? []
      : [...requestFacts(prepared, session), ...failedAttemptDrafts(attempts, replyFactContext(prepared, session))];
  const drafts = [...paid, ...partialReplyDrafts(error, session)];
  if (drafts.length > 0) await session.journal.emit(drafts);
}

/** Records the beginning of a reply. The end of the text may be the start of a secret, which no mask would find. */
function partialReplyDrafts({ code, partial }: LlmError, { agent, maskBeginning, now }: Session): readonly Draft[] {
  const [text, reasoning] = [partial?.text ?? '', partial?.reasoning ?? ''].map(maskBeginning);
  if (!text && !reasoning) return [];
  const fields = { model: agent.model.name, finish: code, text: text ?? '', ...(reasoning && { reasoning }) };
  return [{ make: (stamp) => partialReplyFact.create({ ...fields, at: now() }, stamp) }];
}

function requestFacts({ request, digests }: PreparedRequest, { journal }: Session): readonly Draft[] {
  return newRequestFacts(request, digests, journal.timeline.read('toolsets').digests);
}

function replyFactContext({ digests, projections }: PreparedRequest, { journal, now }: Session): ReplyFactContext {
  return { digests, projections, usageId: 'agent', now: now(), newId: () => journal.newId() };
}

/**
 * Reads the calls of a reply. A call in a reply that was cut off, or that the model could not read from text, is
 * invalid. Other work runs between two calls, because reading a hostile one may take a tenth of a second.
 */
async function readCalls(reply: ModelReply, { tools, journal }: Session): Promise<readonly ReplyCall[]> {
  const calls: readonly ToolCall[] = reply.message.tool_calls ?? [];
  const read: ReplyCall[] = [];
  for (const [index, call] of calls.entries()) {
    if (index > 0) await setImmediate();
    // The arguments of the last call must not be trusted then, even if they happen to parse.
    const isCutOff = reply.finish === 'length' && index === calls.length - 1;
    const problem = isCutOff
      ? 'The reply was cut off inside this call. Send a shorter one.'
      : reply.invalidCalls?.[call.id];
    const id = journal.newId();
    read.push(problem === undefined ? { ...readCall(call, tools), id } : { kind: 'invalid', call, problem, id });
  }
  return read;
}

const continueNudge =
  'No user is available to answer. Continue in the way you think best. When the task is done, or cannot be done, call finish.';
const emptyReplyNudge = 'Your last reply had neither text nor a tool call. Continue with the task, or call finish.';
/** Nudges for replies that are unusable whatever their text is, by how they ended. */
const unusableReplyNudges: Readonly<Partial<Record<ModelReply['finish'], string>>> = {
  length: 'Your last reply was cut off by the output limit. Continue in smaller steps.',
  'unread-calls':
    'Your last reply seems to contain a tool call within its text, where it cannot be read, so nothing was run. Make tool calls in the format that you were given, at the end of a reply.',
};

/** Returns the nudge for a reply without calls that is unusable, with the form of a call that could be read. */
function unusableReplyNudge({ finish, message, callForm }: ModelReply): string | undefined {
  const nudge = unusableReplyNudges[finish] ?? (textOf(message.content).trim() === '' ? emptyReplyNudge : undefined);
  if (nudge === undefined || callForm === undefined) return nudge;
  return `${nudge} If you write calls as text, write them like this:\n\n${callForm}`;
}

/** Stores a reply of text with what the agent's policy makes of it: the end, a wait, or a nudge to continue. */
async function handleText(
  reply: ModelReply,
  events: readonly Draft[],
  session: Session,
  { sawLatestUserMessage }: StepContext,
): Promise<StepOutcome> {
  const { journal, agent } = session;
  const problem = unusableReplyNudge(reply);
  if (problem !== undefined) return nudgeOrStop({ nudge: problem, cause: 'unusable-replies' }, events, session);
  if (agent.textReply === 'continue') return nudgeOrStop({ nudge: continueNudge, cause: 'text-only' }, events, session);
  if (agent.textReply === 'wait') {
    await journal.emit(() => [...events, sawLatestUserMessage() ? statusDraft('idle') : unreadMessageNudge()]);
    return { kind: journal.timeline.read('status').execution === 'idle' ? 'asked' : 'continue' };
  }
  await journal.emit(() => [...events, finishedDraft(sawLatestUserMessage())]);
  return { kind: journal.timeline.read('status').execution === 'finished' ? 'finished' : 'continue' };
}

/** Reaction to a reply without calls that does not end the run. */
interface MonologueReaction {
  readonly nudge: string;
  /** Cause of the end if earlier nudges did not help. */
  readonly cause: StuckCause;
  /** Number of such replies to the same request that were paid for; default 1. */
  readonly replies?: number;
}

/** Stores `events` and nudges the model, or stops the run as stuck when earlier nudges did not help. */
export async function nudgeOrStop(
  { nudge, cause, replies = 1 }: MonologueReaction,
  events: readonly Draft[],
  session: Session,
): Promise<StepOutcome> {
  const { journal, agent } = session;
  const { stuck } = agent;
  const isStuck =
    stuck !== 'never' && (replies >= stuck.monologue || isMonologue(journal.timeline.read('view').events, stuck));
  await journal.emit([...events, isStuck ? statusDraft('stuck') : nudgeDraft(nudge)]);
  return isStuck ? { kind: 'stuck', cause } : { kind: 'continue' };
}
