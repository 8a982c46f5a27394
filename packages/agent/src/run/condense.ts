import {
  type CondensationPlan,
  applyPlan,
  CondenserError,
  planOfAnswer,
  type CondenseContext,
  type NothingToCondense,
  type Plan,
} from '@varve/condensers';
import { SystemPromptEvent } from '@varve/events/kinds';
import { cutPoints, type View } from '@varve/events/projections';
import { isPartSpec } from '@varve/events/specs';
import { LlmError } from '@varve/llm';
import type { Draft } from '../log/drafts.ts';
import { maxInputTokens, type RequestTokens } from '../request/token-counter.ts';
import type { Session } from '../agent/session.ts';
import { failedAttemptDraft, planDrafts, type Attempt } from './condensation-drafts.ts';
import { callModel } from './side-call.ts';

/** Options of {@link condensationFor}. */
export interface CondensationOptions {
  readonly signal: AbortSignal;
  /** Subject that a summary should preserve above all. */
  readonly focus?: string;
  /** Rejects a note in place of a summary that could not be written: nothing is urgent. Default false. */
  readonly needsSummary?: boolean;
}

/** Result of {@link condensationFor}: events to store, and what they do to the view. */
export type CondensationResult =
  | { readonly kind: 'condensed' | 'unchanged'; readonly drafts: readonly Draft[] }
  /** The condenser needed a model that failed. The view stays as it is. */
  | { readonly kind: 'failed'; readonly error: Error; readonly drafts: readonly Draft[] };

/**
 * Asks the condenser about a view. A failure is recorded, so that the condenser sees it and people do.
 *
 * @throws what the condenser throws apart from failures, also when the signal is aborted.
 */
export async function condensationFor(
  view: View,
  session: Session,
  options: CondensationOptions,
): Promise<CondensationResult> {
  const tokens = session.requestTokens();
  const { spec } = session.agent.condenser;
  const attempt = attemptAt(view, session, { ...options, condenser: isPartSpec(spec) ? spec.kind : 'custom' });
  const context = contextOf(session, tokens, { ...options, reason: attempt.reason });
  const answer = withSummary(await ask(view, context, session), options);
  if (answer === undefined || answer.kind === 'nothing') return { kind: 'unchanged', drafts: [] };
  if (answer.kind === 'failed') return { ...answer, drafts: [failedAttemptDraft(answer.error.message, attempt)] };
  return { kind: 'condensed', drafts: draftsOf(answer, view, session, attempt) };
}

/**
 * Returns events that cut everything except the system prompt, the first user turn and the last step; undefined if that
 * is nothing.
 */
export function resetDrafts(
  view: View,
  session: Session,
  options: Pick<CondensationOptions, 'focus'> = {},
): readonly Draft[] | undefined {
  const plan = hardReset(view);
  return plan && draftsOf(plan, view, session, attemptAt(view, session, { ...options, condenser: 'hard-reset' }));
}

function attemptAt(view: View, session: Session, { condenser, focus }: Pick<Attempt, 'condenser' | 'focus'>): Attempt {
  const tokens = session.requestTokens();
  return {
    condenser,
    reason: view.isCondensationRequested ? 'demand' : 'check',
    countTokens: () => ({ tokens_before: tokens().request(view.events), scale: tokens().scale }),
    ...(focus !== undefined && { focus }),
    at: session.now(),
  };
}

function draftsOf(plan: Plan, view: View, session: Session, attempt: Attempt): readonly Draft[] {
  const tokensAfter = session.requestTokens()().request(applyPlan(view, plan).events);
  return planDrafts(plan, { view, tokensAfter, newId: () => session.journal.newId() }, attempt);
}

interface Failure {
  readonly kind: 'failed';
  readonly error: Error;
}

type Answer = Plan | NothingToCondense | Failure | undefined;

/** Returns the condenser's plan, or the failure of a model that it needed. */
async function ask(view: View, context: CondenseContext, { agent }: Session): Promise<Answer> {
  try {
    return planOfAnswer(view, await agent.condenser.condense(view, context));
  } catch (error) {
    const isFailure = error instanceof LlmError || (error instanceof CondenserError && error.code === 'failed');
    if (!isFailure || context.signal.aborted) throw error;
    return { kind: 'failed', error };
  }
}

/** Returns the answer, or a failure if it lacks a summary that is needed. */
function withSummary(answer: Answer, { needsSummary = false }: CondensationOptions): Answer {
  const problem = needsSummary && answer?.kind === 'condensation' ? answer.problem : undefined;
  return problem === undefined ? answer : { kind: 'failed', error: new CondenserError('failed', problem) };
}

function contextOf(
  session: Session,
  tokens: () => RequestTokens,
  { signal, reason, focus }: CondensationOptions & Pick<CondenseContext, 'reason'>,
): CondenseContext {
  const { agent, journal } = session;
  const limit = maxInputTokens(agent.model.capabilities, agent.parameters);
  return {
    signal,
    reason,
    tokens: { request: (events) => tokens().request(events), event: (event) => tokens().event(event) },
    ...(limit !== undefined && { maxInputTokens: limit }),
    callModel: (request, model = agent.model) => callModel(request, { usageId: 'condenser', model, signal }, session),
    failures: journal.timeline.read('context').failures,
    ...(focus !== undefined && { focus }),
  };
}

/** Returns the plan of {@link resetDrafts}. */
export function hardReset(view: View): CondensationPlan | undefined {
  const { events } = view;
  const cuts = cutPoints(events);
  const firstTurn = events.findIndex((event) => !SystemPromptEvent.is(event));
  const start = cuts.find((cut) => cut > firstTurn) ?? events.length;
  const end = cuts.findLast((cut) => cut < events.length) ?? 0;
  const forget = events.slice(start, end).filter((event) => !SystemPromptEvent.is(event));
  // A summary in place of a single event makes no smaller view, and the next request would repeat it without end.
  if (forget.length < 2) return undefined;
  return {
    kind: 'condensation',
    forget: forget.map(({ id }) => id),
    summary: `(${forget.length} earlier events are no longer shown, because they exceed what the model accepts. Read files again where you need them.)`,
    summaryOffset: start,
  };
}
