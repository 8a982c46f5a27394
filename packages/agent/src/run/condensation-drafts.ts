import type { ObservationMask, Plan } from '@varve/condensers';
import { condensationFact, maskFact } from '@varve/events/facts';
import { Condensation } from '@varve/events/kinds';
import type { View } from '@varve/events/projections';
import type { Draft } from '../log/drafts.ts';

/** Facts about an attempt to condense, without its result. */
export interface Attempt {
  readonly condenser: string;
  readonly reason: 'check' | 'demand';
  /** Called only for an attempt that is stored: most find nothing to condense. */
  readonly countTokens: () => { readonly tokens_before: number; readonly scale: number };
  readonly focus?: string;
  /** UTC milliseconds. */
  readonly at: number;
}

/** Returns the events of a condensation, for one append: what it did, its masks, and what it forgot. */
export function planDrafts(
  plan: Plan,
  { view, tokensAfter, newId }: { readonly view: View; readonly tokensAfter: number; readonly newId: () => string },
  attempt: Attempt,
): readonly Draft[] {
  const { masks = [] } = plan;
  const masked = masks.reduce((sum, { eventIds }) => sum + eventIds.length, 0);
  const isDemand = attempt.reason === 'demand';
  const id = newId();
  const fact = {
    ...attemptFields(attempt),
    ...(plan.kind === 'condensation' && { condensation_id: id, forgotten: countKinds(view, plan.forget) }),
    ...(plan.kind === 'condensation' && plan.problem !== undefined && { problem: plan.problem }),
    ...(masked > 0 && { masked }),
    tokens_after: tokensAfter,
  };
  return [
    { make: (stamp) => condensationFact.create(fact, stamp) },
    ...masks.map(maskDraft),
    ...(plan.kind === 'condensation' ? [condensationDraft(plan, id, newId)] : []),
    // Masks alone would leave the request for a condensation open.
    ...(plan.kind === 'mask' && isDemand ? [emptyCondensationDraft(newId)] : []),
  ];
}

/** Records an attempt that failed. The view stays as it is. */
export function failedAttemptDraft(problem: string, attempt: Attempt): Draft {
  return { make: (stamp) => condensationFact.create({ ...attemptFields(attempt), problem }, stamp) };
}

/** Ends a request for a condensation without one. */
export function emptyCondensationDraft(newId: () => string): Draft {
  return { make: (stamp) => Condensation.create({ llm_response_id: newId() }, stamp) };
}

function attemptFields({ condenser, reason, countTokens, focus, at }: Attempt) {
  return { condenser, reason, ...countTokens(), ...(focus !== undefined && { focus }), at };
}

function countKinds({ events }: View, forget: readonly string[]): Readonly<Record<string, number>> {
  const ids = new Set(forget);
  const counts = new Map<string, number>();
  for (const { id, kind } of events) if (ids.has(id)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function maskDraft({ eventIds, text }: ObservationMask): Draft {
  return { make: (stamp) => maskFact.create({ event_ids: [...eventIds], text }, stamp) };
}

function condensationDraft(
  { forget, summary, summaryOffset, responseId }: Extract<Plan, { readonly kind: 'condensation' }>,
  id: string,
  newId: () => string,
): Draft {
  const fields = {
    forgotten_event_ids: [...forget],
    ...(summary !== undefined && { summary }),
    ...(summary !== undefined && summaryOffset !== undefined && { summary_offset: summaryOffset }),
    llm_response_id: responseId ?? newId(),
  };
  return { id, make: (stamp) => Condensation.create(fields, stamp) };
}
