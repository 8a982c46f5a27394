import { setImmediate } from 'node:timers/promises';
import { CondenserError } from '@varve/condensers';
import { CondensationRequest } from '@varve/events/kinds';
import type { View } from '@varve/events/projections';
import { LlmError } from '@varve/llm';
import { askWithoutRefused, type Answer } from './ask-without-refused.ts';
import { runPending } from './calls/run-pending.ts';
import type { Draft } from '../log/drafts.ts';
import type { Session } from '../agent/session.ts';
import type { StepContext, StepOutcome } from './step-context.ts';
import { emptyReplyNudges } from '../stuck/stuck-rules.ts';
import { condensationFor, resetDrafts, hardReset } from './condense.ts';
import { emptyCondensationDraft } from './condensation-drafts.ts';
import { handleReply, nudgeOrStop, recordFailedCall } from './handle-reply.ts';

/**
 * Runs one step: completes open calls, or condenses the view, or asks the model once and acts on its reply. A reply is
 * stored before its calls run, and their results before the next request is sent.
 */
export async function step(session: Session, context: StepContext): Promise<StepOutcome> {
  const { journal } = session;
  if (journal.timeline.read('pending').length > 0) return runPending(session, context);
  await session.updateTools(context.signal);
  try {
    const view = journal.timeline.read('view');
    const { kind, drafts } = await condensationFor(view, session, context);
    const isDemand = kind !== 'condensed' && view.isCondensationRequested;
    const reset = isDemand ? resetDrafts(view, session) : [];
    if (!reset) return await failExhausted(drafts, session);
    await journal.emit([...drafts, ...reset]);
    // The next step sees the smaller view.
    if (kind === 'condensed' || isDemand) return { kind: 'continue' };
    return await askModel(session, context);
  } catch (error) {
    return handleError(error, session, context);
  }
}

/**
 * Number of events between two snapshots of a session that does not end: folding them takes 0.04 s. A snapshot of
 * 10,000 events takes 0.02 s, while the model generates a reply.
 */
const eventsPerSnapshot = 1000;

async function askModel(session: Session, context: StepContext): Promise<StepOutcome> {
  const { journal, agent } = session;
  const lastUserMessage = (): string | undefined => journal.timeline.read('status').lastUserMessageId;
  const messageInView = lastUserMessage();
  const ask = async (view: View): Promise<Answer> => {
    const prepared = session.prepareRequest(view);
    const reply = await agent.model.generate(prepared.request, context).catch(async (error: unknown) => {
      if (error instanceof LlmError) await recordFailedCall(error, prepared, session);
      throw error;
    });
    return { reply, prepared };
  };
  const replied = askWithoutRefused(session, ask, context.signal);
  // In a later turn, after the request is sent. A failure is that of a cache, and closing the session reports it.
  void setImmediate()
    .then(async () => session.snapshots.save(eventsPerSnapshot))
    .catch(() => undefined);
  const { reply, prepared } = await replied;
  const sawLatestUserMessage = (): boolean => lastUserMessage() === messageInView;
  return handleReply(reply, prepared, session, { ...context, sawLatestUserMessage });
}

/** Recovers from errors that the next step can resolve: an unusable reply, or a context that is too long. */
async function handleError(error: unknown, session: Session, { signal }: StepContext): Promise<StepOutcome> {
  const { journal } = session;
  if (!(error instanceof LlmError || error instanceof CondenserError)) throw error;
  if (signal.aborted) return { kind: 'aborted' };
  if (error.code in emptyReplyNudges) {
    const nudge = emptyReplyNudges[error.code as keyof typeof emptyReplyNudges];
    const attempts = error instanceof LlmError ? error.failedAttempts : [];
    const replies = attempts.filter(({ code }) => code === error.code).length;
    return nudgeOrStop({ nudge, cause: 'unusable-replies', replies }, [], session);
  }
  // Calls and results are paired already; the messages that the server rejects may be among those that can be cut.
  const canCut = error.code === 'malformed-history' && hardReset(journal.timeline.read('view')) !== undefined;
  if (error.code !== 'context-overflow' && !canCut) return { kind: 'failed', error };
  await journal.emit([{ make: (stamp) => CondensationRequest.create({}, stamp) }]);
  return { kind: 'continue' };
}

/**
 * Fails the run when nothing more can be cut. A condensation without events ends the demand, so that another run, with
 * a larger model or with other tools, may ask again.
 */
async function failExhausted(drafts: readonly Draft[], { journal }: Session): Promise<StepOutcome> {
  await journal.emit([...drafts, emptyCondensationDraft(() => journal.newId())]);
  const message = "The conversation does not fit the model's context, and nothing more can be cut.";
  return { kind: 'failed', error: new LlmError('context-overflow', message) };
}
