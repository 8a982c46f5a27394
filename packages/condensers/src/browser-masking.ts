import type { BaseEvent } from '@varve/events';
import { ActionEvent, ObservationEvent } from '@varve/events/kinds';
import { BrowserNavigateAction, BrowserObservation } from '@varve/events/payloads';
import { isMasked } from '@varve/events/projections';
import * as z from 'zod';
import type { Condenser } from './condenser.ts';
import { checkCount } from './plans/limits.ts';
import { maskAnswer } from './plans/mask-plan.ts';
import { defineCondenserKind } from './registry/condenser-kind.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/** Options of {@link browserMasking}. */
export interface BrowserMaskingOptions {
  /** Number of last pages that stay as they are. Default 1. */
  readonly attentionWindow?: number;
}

/** Longest address in a mask, in UTF-16 units: the model and pages choose addresses. */
const maxUrlLength = 500;

/**
 * Creates a condenser that replaces the outputs of earlier browser calls by the address of the page: pages are long,
 * and only the current one is true. It waits until a tenth of the request can be saved; a demand masks what there is.
 *
 * @throws {CondenserError} `invalid` for a window that is no count.
 * @see OpenHands V0 BrowserOutputCondenser
 */
export function browserMasking({ attentionWindow = 1 }: BrowserMaskingOptions = {}): Condenser {
  checkCount('attentionWindow', attentionWindow, 1);
  return {
    spec: { kind: 'browser-masking', attentionWindow },
    async condense(view, context) {
      throwIfAborted(context.signal);
      const pages = pagesIn(view.events);
      const earlier = pages.slice(0, Math.max(0, pages.length - attentionWindow));
      const maskable = earlier.filter(({ event }) => !isMasked(event));
      return maskAnswer(view, maskable, context);
    },
  };
}

/** Spec of {@link browserMasking}. */
export const browserMaskingKind = defineCondenserKind('browser-masking', {
  aliases: ['browser_output_masking'],
  options: () => z.object({ attentionWindow: z.exactOptional(z.number()) }),
  create: browserMasking,
});

/** Returns the outputs of browser calls, each with the text of its mask. Masked ones count as pages too. */
function pagesIn(events: readonly BaseEvent[]): readonly { readonly event: BaseEvent; readonly text: string }[] {
  let url = '';
  return events.flatMap((event) => {
    if (ActionEvent.is(event)) url = BrowserNavigateAction.read(event.action)?.url ?? url;
    if (!ObservationEvent.is(event) || !isBrowserOutput(event)) return [];
    const page = url === '' ? 'a page' : url.slice(0, maxUrlLength);
    return [{ event, text: `[Visited ${page}.\nIts content was left out to save space.]` }];
  });
}

function isBrowserOutput({ tool_name: name, observation }: ObservationEvent): boolean {
  return BrowserObservation.is(observation) || name.startsWith('browser_');
}
