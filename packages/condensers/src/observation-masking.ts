import { ObservationEvent } from '@varve/events/kinds';
import { isMasked } from '@varve/events/projections';
import * as z from 'zod';
import type { Condenser } from './condenser.ts';
import { checkCount } from './plans/limits.ts';
import { maskAnswer } from './plans/mask-plan.ts';
import { defineCondenserKind } from './registry/condenser-kind.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/** Options of {@link observationMasking}. */
export interface ObservationMaskingOptions {
  /** Number of last events whose outputs stay as they are. Default 100. */
  readonly attentionWindow?: number;
}

const maskText = '[This output was left out to save space. Repeat the call if you need it again.]';

/**
 * Creates a condenser that replaces the outputs of earlier calls by a note. Calls and results stay paired. It waits
 * until a tenth of the request can be saved; a demand masks what there is.
 *
 * @throws {CondenserError} `invalid` for a window that is no count.
 * @see OpenHands V0 ObservationMaskingCondenser, which breaks the pairing, so that the calls disappear too
 */
export function observationMasking({ attentionWindow = 100 }: ObservationMaskingOptions = {}): Condenser {
  checkCount('attentionWindow', attentionWindow, 1);
  return {
    spec: { kind: 'observation-masking', attentionWindow },
    async condense(view, context) {
      throwIfAborted(context.signal);
      const earlier = view.events.slice(0, Math.max(0, view.events.length - attentionWindow));
      const maskable = earlier.flatMap((event) =>
        ObservationEvent.is(event) && !isMasked(event) ? [{ event, text: maskText }] : [],
      );
      return maskAnswer(view, maskable, context);
    },
  };
}

/** Spec of {@link observationMasking}. */
export const observationMaskingKind = defineCondenserKind('observation-masking', {
  aliases: ['observation_masking'],
  options: () => z.object({ attentionWindow: z.exactOptional(z.number()) }),
  create: observationMasking,
});
