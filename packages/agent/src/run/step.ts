import { CondenserError } from '@varve/condensers';
import type { ToolCall } from '@varve/events';
import { Condensation, CondensationRequest } from '@varve/events/kinds';
import { LlmError, type ModelReply } from '@varve/llm';
import { handleTextReply, nudgeOrStop } from './conclude.ts';
import { condensationFor } from './condense.ts';
import { statusDraft, type Draft } from '../log/drafts.ts';
import { mustWait } from '../confirmation/gate.ts';
import { hardReset } from './hard-reset.ts';
import { isAnswered } from './is-answered.ts';
import { readCall } from '../calls/read-call.ts';
import { eventsOfReply, failedAttemptDrafts, eventsOfTextReply, type ReplyContext } from './reply-events.ts';
import { parametersDraft, toolsetDraft } from '../request/logged-digests.ts';
import type { PreparedRequest } from '../request/request.ts';
import { runPending } from '../calls/run-pending.ts';
import type { ReplyRunContext, RunContext, Session, StepOutcome } from '../session.ts';
import { emptyReplyNudges } from '../stuck/monologue.ts';

/**
 * One step: bring open calls to an end, or make the view smaller, or ask the model once and act on its reply.
 * Everything it decides is in the log before anything is done that cannot be done again; calls that only read, and what
 * they gave, may go out with the next request before that.
 */
export async function step(session: Session, context: RunContext): Promise<StepOutcome> {
  const { journal, agent } = session;
  if (journal.timeline.read('pending').length > 0) {
    return runPending(session, { ...context, sawLatestUserMessage: () => isAnswered(journal.timeline.read('view')) });
  }
  try {
    const condensation = await condensationFor(journal.timeline.read('view'), {
      condenser: agent.condenser,
      signal: context.signal,
      contextWindow: agent.model.capabilities.contextWindow,
      newId: () => journal.newId(),
    });
    if (condensation === 'exhausted') return await exhausted(session);
    if (condensation) {
      await journal.emit([condensation]);
      return { kind: 'continue' };
    }
    return await askModel(session, context);
  } catch (error) {
    return failure(error, session, context);
  }
}

async function askModel(session: Session, context: RunContext): Promise<StepOutcome> {
  const { journal, agent, now } = session;
  const prepared = session.prepare(journal.timeline.read('view'));
  const lastSaid = (): string | undefined => journal.timeline.read('status').lastUserMessageId;
  const lastRead = lastSaid();
  const replyRun = { ...context, sawLatestUserMessage: () => lastSaid() === lastRead };
  const contextNow = (): ReplyContext => ({ prepared, usageId: 'agent', now: now(), newId: () => journal.newId() });
  const reply = await agent.model.generate(prepared.request, context).catch(async (error: unknown) => {
    const failed = error instanceof LlmError ? failedAttemptDrafts(error.failedAttempts, contextNow()) : [];
    if (failed.length > 0) await journal.emit([...newToolset(session, prepared), ...failed]);
    throw error;
  });
  // One reply at most is behind: it is not acted on before all that it answers is stored.
  await journal.flush();
  const replyContext = contextNow();
  const calls = reply.message.tool_calls ?? [];
  return calls.length > 0
    ? handleReply(reply, replyContext, session, replyRun)
    : handleTextReply(reply, textDrafts(reply, replyContext, session), session, replyRun);
}

function textDrafts(reply: ModelReply, replyContext: ReplyContext, session: Session): readonly Draft[] {
  const failed = failedAttemptDrafts(reply.failedAttempts ?? [], replyContext);
  return [...newToolset(session, replyContext.prepared), ...failed, ...eventsOfTextReply(reply, replyContext)];
}

async function handleReply(
  reply: ModelReply,
  replyContext: ReplyContext,
  session: Session,
  context: ReplyRunContext,
): Promise<StepOutcome> {
  const { tools, agent, journal } = session;
  const calls = (reply.message.tool_calls ?? []).map((call, index, { length }) =>
    // A reply cut by the output limit ends in a call whose arguments must not be trusted, even if they happen to parse.
    reply.finish === 'length' && index === length - 1
      ? { kind: 'invalid' as const, call, problem: 'The reply was cut off inside this call. Send a shorter one.' }
      : readOrRefuse(call, reply, tools),
  );
  const valid = calls.flatMap((call) => (call.kind === 'valid' ? [call] : []));
  const waits = mustWait(agent.confirmation, valid);
  const drafts = [
    ...newToolset(session, replyContext.prepared),
    ...failedAttemptDrafts(reply.failedAttempts ?? [], replyContext),
    ...eventsOfReply(reply, calls, replyContext),
  ];
  if (waits) {
    await journal.emit([...drafts, statusDraft('waiting_for_confirmation')]);
    return { kind: 'waiting' };
  }
  // A call that must not be done twice waits until they are stored, before it starts.
  await journal.emitDeferred(drafts);
  return runPending(session, context);
}

/** A call that its model could not read from text says why. */
function readOrRefuse(
  call: ToolCall,
  { invalidCalls }: ModelReply,
  tools: Session['tools'],
): ReturnType<typeof readCall> {
  const problem = invalidCalls?.[call.id];
  return problem === undefined ? readCall(call, tools) : { kind: 'invalid', call, problem };
}

function newToolset({ journal, offered }: Session, { request, digests }: PreparedRequest): readonly Draft[] {
  const { digests: known } = journal.timeline.read('toolsets');
  const { parameters } = request;
  return [
    ...(known.includes(digests.tools) ? [] : [toolsetDraft(digests.tools, offered)]),
    // Of no parameters everybody knows the digest.
    ...(known.includes(digests.parameters) || JSON.stringify(parameters) === '{}'
      ? []
      : [parametersDraft(digests.parameters, parameters)]),
  ];
}

async function failure(error: unknown, session: Session, { signal }: RunContext): Promise<StepOutcome> {
  const { journal } = session;
  if (!(error instanceof LlmError || error instanceof CondenserError)) throw error;
  if (signal.aborted) return { kind: 'aborted' };
  if (error.code in emptyReplyNudges)
    return nudgeOrStop(emptyReplyNudges[error.code as keyof typeof emptyReplyNudges], [], session);
  // Calls and results were paired anew already; what the server cannot read may go with what is left out.
  const isUnread = error.code === 'malformed-history' && hardReset(journal.timeline.read('view')) !== undefined;
  if (error.code !== 'context-overflow' && !isUnread) return { kind: 'failed', error };
  await journal.emit([{ make: (stamp) => CondensationRequest.create({}, stamp) }]);
  return { kind: 'continue' };
}

/**
 * The run fails. A condensation that forgets nothing ends the demand, so that another run may ask again: with a larger
 * model, or with other tools, it may fit.
 */
async function exhausted({ journal }: Session): Promise<StepOutcome> {
  await journal.emit([{ make: (stamp) => Condensation.create({ llm_response_id: journal.newId() }, stamp) }]);
  const message = 'The conversation does not fit the context of the model, and nothing more of it can be left out.';
  return { kind: 'failed', error: new LlmError('context-overflow', message) };
}
