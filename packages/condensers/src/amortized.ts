import * as z from 'zod';
import type { Condenser } from './condenser.ts';
import { findSegment } from './plans/find-segment.ts';
import { checkLimits, excessOf, keepFirstOptions, type KeepFirstOptions } from './plans/limits.ts';
import { openingLength } from './plans/opening.ts';
import { forgettable } from './plans/segment.ts';
import { defineCondenserKind } from './registry/condenser-kind.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/**
 * Creates a condenser that forgets the middle of a long view, by default of more than 100 events, without a trace:
 * about half of it, so that the cost of the lost prompt cache is spread over many steps.
 *
 * @throws {CondenserError} `invalid` for numbers that are no counts.
 * @see OpenHands V0 AmortizedForgettingCondenser
 */
export function amortized({ maxEvents = 100, keepFirst = 1, ...others }: KeepFirstOptions = {}): Condenser {
  const limits = { maxEvents, ...others };
  checkLimits(limits, { keepFirst });
  return {
    spec: { kind: 'amortized', ...limits, keepFirst },
    async condense(view, context) {
      throwIfAborted(context.signal);
      const { events } = view;
      const { reason } = context;
      const first = Math.max(keepFirst, openingLength(events));
      const excess = excessOf(events, context, limits, { first });
      const segment = excess && findSegment(events, { reason, first, target: excess.target });
      if (!segment) return reason === 'check' ? view : { kind: 'nothing', reason: 'No two events can be forgotten.' };
      return { kind: 'condensation', forget: forgettable(events, segment).map(({ id }) => id) };
    },
  };
}

/** Spec of {@link amortized}. */
export const amortizedKind = defineCondenserKind('amortized', {
  options: () => z.object(keepFirstOptions()),
  create: amortized,
});
