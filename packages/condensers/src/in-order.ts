import type { View } from '@varve/events/projections';
import * as z from 'zod';
import { planIn, type CondenseContext, type Condenser, type ObservationMask, type Plan } from './condenser.ts';
import { applyPlan } from './plans/apply-plan.ts';
import { planOfAnswer } from './plans/plan-of-view.ts';
import { defineCondenserKind } from './registry/condenser-kind.ts';
import { isFailure } from './summaries/is-failure.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/**
 * Creates a condenser that asks others in turn, each about the view as the earlier ones changed it. The first that
 * forgets events is the last one asked. A demand is met by the first change: later condensers only check.
 */
export function inOrder(condensers: readonly Condenser[]): Condenser {
  return {
    spec: { kind: 'in-order', condensers: condensers.map(({ spec }) => spec) },
    async condense(view, context) {
      throwIfAborted(context.signal);
      let changed = view;
      let masks: readonly ObservationMask[] = [];
      for (const condenser of condensers) {
        const plan = await planOf(condenser, changed, reasonNow(context, masks)).catch((error: unknown) => {
          // The masks are worth storing; the failure recurs with the next check, and is recorded then.
          if (masks.length > 0 && isFailure(error) && !context.signal.aborted) return undefined;
          throw error;
        });
        if (!plan) continue;
        changed = applyPlan(changed, plan);
        masks = merged(masks, plan);
        if (plan.kind === 'condensation') return { ...plan, ...(masks.length > 0 && { masks }) };
      }
      if (masks.length > 0) return { kind: 'mask', masks };
      return context.reason === 'check' ? view : { kind: 'nothing', reason: 'No condenser found anything to cut.' };
    },
  };
}

/** Spec of {@link inOrder}. */
export const inOrderKind = defineCondenserKind('in-order', {
  aliases: ['pipeline', 'PipelineCondenser'],
  options: () => z.object({ condensers: z.array(z.json()) }),
  create: ({ condensers }, { condenser }) =>
    inOrder(condensers.map((spec, index) => condenser(spec, 'condensers', index))),
});

function reasonNow(context: CondenseContext, masks: readonly ObservationMask[]): CondenseContext {
  return masks.length > 0 ? { ...context, reason: 'check' } : context;
}

async function planOf(condenser: Condenser, view: View, context: CondenseContext): Promise<Plan | undefined> {
  const answer = planOfAnswer(view, await condenser.condense(view, context));
  return answer && planIn(answer);
}

/** Adds the masks of a plan. A later mask of the same event, or its forgetting, replaces an earlier one. */
function merged(masks: readonly ObservationMask[], plan: Plan): readonly ObservationMask[] {
  const added = plan.masks ?? [];
  const replaced = new Set([
    ...added.flatMap(({ eventIds }) => eventIds),
    ...(plan.kind === 'condensation' ? plan.forget : []),
  ]);
  const rest = masks.flatMap(({ eventIds, text }) => {
    const kept = eventIds.filter((id) => !replaced.has(id));
    return kept.length > 0 ? [{ eventIds: kept, text }] : [];
  });
  return [...rest, ...added];
}
