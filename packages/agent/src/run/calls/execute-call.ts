import { isDeepStrictEqual } from 'node:util';
import { text, textOf, type TextContent } from '@varve/events';
import { changedCallFact, effectFact } from '@varve/events/facts';
import { ObservationEvent, type ActionEvent } from '@varve/events/kinds';
import { presentObservation, type Observation } from '@varve/events/payloads';
import { ToolError, type ToolContext } from '@varve/tools';
import { digestOf } from '../../log/digest.ts';
import {
  callErrorDraft,
  changedCallMessage,
  controlDraft,
  finishedDraft,
  internalFailure,
  notStartedMessage,
  rejectionDraft,
  type Draft,
  interruptedMessage,
} from '../../log/drafts.ts';
import type { Journal } from '../../log/journal.ts';
import type { Session } from '../../agent/session.ts';
import type { StepContext } from '../step-context.ts';
import { endsRun } from './ends-run.ts';
import { mayBeDenied, withCoveredAction } from '../../confirmation/gate.ts';
import { proposedCalls } from './proposed-calls.ts';
import { type ActivatedSkill, isPresent, pathRules } from '@varve/skills';
import type { RunnableCall } from './recovery.ts';

/** Result of executing a call: the agent is done, the call was aborted or changed before it started, or it is done. */
export type CallOutcome = 'finished' | 'aborted' | 'changed' | 'done';

/** What the execution of a call needs. */
export interface CallContext extends StepContext {
  /** True if its start is stored already. */
  readonly isStarted: boolean;
  /** Directories in which its command may start; absent if it may start anywhere. */
  readonly startDirectories?: readonly string[];
}

/**
 * Executes one call and stores its result. A call with side effects is recorded before it starts, so that it is never
 * run again after a crash. When this resolves, the call has exactly one result. A call that was rejected in the
 * meantime keeps that answer, and does not run unless it had started. One whose arguments a person changed in the
 * meantime has none, and does not start: it must be reviewed again before later calls run.
 */
export async function executeCall(call: RunnableCall, session: Session, context: CallContext): Promise<CallOutcome> {
  const { event, tool } = call;
  const { journal, files } = session;
  const { signal } = context;
  if (!(await recordStart(call, session, context))) return isPending(journal, event) ? 'changed' : 'done';
  if (signal.aborted) {
    await answer(callErrorDraft(event, notStartedMessage), event, journal);
    return 'aborted';
  }
  let observation: Observation;
  let rules: readonly ActivatedSkill[];
  await files.begin(call);
  try {
    observation = await observe(call, session, context);
    rules = call.isChanged ? [] : await rulesFor(event, observation, session, signal);
  } catch (error) {
    return recordFailure(call, error, session, signal);
  }
  const isEnd = endsRun(event.action, tool);
  const changed = await files.end(event.id);
  const results = (): readonly Draft[] => {
    if (!isPending(journal, event)) return changed;
    // Another call may have added the text of a rule in the meantime.
    const { events } = journal.timeline.read('view');
    const added = rules.filter(({ name }) => !isPresent(name, events)).map((rule) => text(rule.text));
    const result = call.isChanged
      ? changedCallDrafts(call, observation, session.now())
      : [observationDraft(event, observation, added)];
    return [...changed, ...result, ...(isEnd ? endDrafts(call, session, context) : [])];
  };
  await journal.emit(results);
  return journal.timeline.read('status').execution === 'finished' ? 'finished' : 'done';
}

/** Runs the tool of a call. */
async function observe(call: RunnableCall, session: Session, context: CallContext): Promise<Observation> {
  const { event, tool, input } = call;
  const { journal, workspace, shownFiles } = session;
  const { signal, onOutput, askOutside, startDirectories } = context;
  const output = onOutput && { onOutput: (chunk: string) => onOutput(chunk, event) };
  // Several directories are those of concurrent shells. A person who is asked about a call reads all of them.
  const left = journal.timeline.read('directories');
  const shellDirectory = left.includes(workspace) ? undefined : left.at(-1);
  const directories = shellDirectory === undefined ? [] : [shellDirectory];
  const shell = {
    ...(shellDirectory !== undefined && { shellDirectory }),
    ...(startDirectories && { startDirectories }),
  };
  const idempotencyKey = idempotencyKeyOf(event, session);
  const callContext = { workspace, signal, shownFiles, idempotencyKey, actionId: event.id };
  const outside = askOutside && { askOutside: outsideQuestion(call, session, { askOutside, signal, directories }) };
  const checkLease = async (): Promise<void> => journal.checkLease();
  await checkLease();
  return tool.execute(input, { ...callContext, checkLease, ...shell, ...output, ...outside });
}

/** Returns the end of the run with the control of its last call, unless a message of the user is unread. */
function endDrafts(
  { event, tool, input }: RunnableCall,
  { now }: Session,
  { sawLatestUserMessage }: StepContext,
): readonly Draft[] {
  const isRead = sawLatestUserMessage();
  const control = isRead ? tool.control?.(input) : undefined;
  return [...(control ? [controlDraft(event.id, control, now())] : []), finishedDraft(isRead)];
}

/** Returns the key by which the target of a call recognises that it is repeated. */
function idempotencyKeyOf({ id }: Pick<ActionEvent, 'id'>, { conversationId }: Session): string {
  return digestOf(`${conversationId}:${id}`);
}

/** Stores what must precede the start of a call. Returns false for a call that must not start any more. */
async function recordStart(call: RunnableCall, session: Session, { isStarted }: CallContext): Promise<boolean> {
  const { event, effect, tool } = call;
  const { journal, executing } = session;
  if (effect !== 'write' || isStarted) {
    // A rejection that was stored together with the call, or right after it, is folded first.
    await journal.catchUp();
    const mayStart = isCurrent(call, session);
    if (mayStart) executing.add(event.id);
    return mayStart;
  }
  // An append after that of the call, so that a crash before the effect is recorded proves that it never started.
  return recordEffect(call, tool, session);
}

/** Stores that a call starts. Returns false for a call that must not start any more. */
async function recordEffect(
  call: RunnableCall,
  { sandbox }: Pick<RunnableCall['tool'], 'sandbox'>,
  session: Session,
): Promise<boolean> {
  const drafts = () => (isCurrent(call, session) ? [effectDraft(call.event, sandbox, session)] : []);
  return (await session.journal.emit(drafts)).length > 0;
}

/** Reports whether a call has no result yet, and what it runs is still what its approval lets run. */
function isCurrent({ event, action }: RunnableCall, { journal, codec }: Session): boolean {
  const stored = journal.timeline.read('pending').find((call) => call.event.id === event.id);
  if (!stored) return false;
  const { approvedAction = event.action } = withCoveredAction(codec, stored);
  return isDeepStrictEqual(approvedAction, action);
}

/** Records that the call with this event starts, in a sandbox of this name. */
export function effectDraft(event: Pick<ActionEvent, 'id'>, sandbox: string | undefined, session: Session): Draft {
  const start = { action_id: event.id, idempotency_key: idempotencyKeyOf(event, session), at: session.now() };
  const value = { ...start, ...(sandbox !== undefined && { sandbox }) };
  return { make: (stamp) => effectFact.create(value, stamp) };
}

interface OutsideContext {
  readonly askOutside: NonNullable<StepContext['askOutside']>;
  readonly signal: AbortSignal;
  readonly directories: readonly string[];
}

/**
 * Returns a function that asks whether a call may run outside of its sandbox, and stores it before it does. Where a
 * deny rule may match, it does not ask.
 */
function outsideQuestion(
  call: RunnableCall,
  session: Session,
  { askOutside, signal, directories }: OutsideContext,
): NonNullable<ToolContext['askOutside']> {
  const event = { ...call.event, action: call.action };
  const { workspace } = session;
  return async (refusal) => {
    if (proposedCalls([call], session).some((proposed) => mayBeDenied(session.agent, proposed))) return false;
    const isAllowed = await askOutside({ event, refusal, workspace, directories }, signal);
    return isAllowed && recordEffect(call, { sandbox: 'off' }, session);
  };
}

/** Reports whether the call has no result yet. */
export function isPending(journal: Journal, { id }: ActionEvent): boolean {
  return journal.timeline.read('pending').some(({ event }) => event.id === id);
}

/** Rejects a call that ran with other arguments: readers of the log must not see its own with their result. */
function changedCallDrafts({ event, action }: RunnableCall, observation: Observation, at: number): readonly Draft[] {
  const reason = changedCallMessage(action, textOf(presentObservation(observation)));
  const value = { action_id: event.id, action, observation, at };
  // First: a crash within the append must not lose where the shell is.
  return [{ make: (stamp) => changedCallFact.create(value, stamp) }, rejectionDraft(event, reason)];
}

function observationDraft(
  event: ActionEvent,
  observation: Observation,
  extended_content: readonly TextContent[],
): Draft {
  const { tool_name, tool_call_id, id } = event;
  const fields = { tool_name, tool_call_id, observation, action_id: id, extended_content };
  return { make: (stamp) => ObservationEvent.create(fields, stamp) };
}

/** Returns the texts of skills for the paths of a call that succeeded. */
async function rulesFor(
  { action }: ActionEvent,
  { is_error: isError }: Observation,
  { agent, journal, workspace, mask }: Session,
  signal: AbortSignal,
): Promise<readonly ActivatedSkill[]> {
  if (isError) return [];
  const { events } = journal.timeline.read('view');
  return pathRules(action, agent.skills, { events, workspace, mask, signal, sandbox: agent.sandbox });
}

/** Answers a call that was aborted, or whose tool threw, with an error for the model. */
async function recordFailure(
  { event, action, isChanged }: RunnableCall,
  error: unknown,
  { journal, files }: Session,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const changed = await files.end(event.id);
  const isAborted = signal.aborted;
  const reason = error instanceof Error ? error.message : String(error);
  const failure = isAborted ? interruptedMessage : `${event.tool_name} failed: ${reason}`;
  const classification = isAborted || error instanceof ToolError ? undefined : internalFailure;
  const message = isChanged ? changedCallMessage(action, failure) : failure;
  await answer(callErrorDraft(event, message, classification), event, journal, changed);
  return isAborted ? 'aborted' : 'done';
}

/** Stores what a call changed, and its answer unless it was answered in the meantime. */
async function answer(
  draft: Draft,
  event: ActionEvent,
  journal: Journal,
  changed: readonly Draft[] = [],
): Promise<void> {
  await journal.emit(() => [...changed, ...(isPending(journal, event) ? [draft] : [])]);
}
