import type { BaseEvent } from '@varve/events';
import { withMask, type View } from '@varve/events/projections';
import type { CondenseContext, CondenserAnswer, ObservationMask, TokenCounter } from '../condenser.ts';
import { minimumShare } from './find-segment.ts';

/** An observation that may be masked, and the text to show instead. */
export interface Maskable {
  readonly event: BaseEvent;
  readonly text: string;
}

/**
 * Returns the plan that masks observations, if it is worth it: for a check it saves at least a tenth of the request,
 * because it invalidates the prompt cache. Observations that are shorter than their mask stay.
 */
export function maskAnswer(
  view: View,
  maskable: readonly Maskable[],
  { reason, tokens }: CondenseContext,
): CondenserAnswer {
  const worthwhile = maskable.flatMap(({ event, text }) => {
    const saved = savedTokens(event, text, tokens);
    return saved > 0 ? [{ event, text, saved }] : [];
  });
  const saved = worthwhile.reduce((sum, mask) => sum + mask.saved, 0);
  if (reason === 'check' && saved < tokens.request(view.events) * minimumShare) return view;
  if (worthwhile.length === 0) {
    return reason === 'check' ? view : { kind: 'nothing', reason: 'No earlier output is left to mask.' };
  }
  const byText = new Map<string, string[]>();
  for (const { event, text } of worthwhile) {
    const ids = byText.get(text);
    if (ids) ids.push(event.id);
    else byText.set(text, [event.id]);
  }
  return { kind: 'mask', masks: [...byText].map(([text, eventIds]): ObservationMask => ({ eventIds, text })) };
}

function savedTokens(event: BaseEvent, text: string, tokens: TokenCounter): number {
  const [masked = event] = withMask([event], { event_ids: [event.id], text });
  return tokens.event(event) - tokens.event(masked);
}
