import { textOf, type BaseEvent } from '@varve/events';
import { CondensationSummaryEvent, ObservationEvent } from '@varve/events/kinds';
import { isMasked, type View } from '@varve/events/projections';
import type { CondenserAnswer, ObservationMask, NothingToCondense, Plan } from '../condenser.ts';
import { CondenserError } from '../error.ts';

/**
 * Returns the plan that changes one view into another: missing events are forgotten, masked observations are masked,
 * and a new `CondensationSummaryEvent` is the summary. Returns undefined if nothing differs.
 *
 * @throws {CondenserError} `invalid` if the other view has other new or changed events, another order, or two new
 * summaries: a condenser removes, it does not rewrite.
 */
export function planOfView(before: View, after: View): Plan | undefined {
  const known = new Map(before.events.map((event, index) => [event.id, { event, index }]));
  const kept = new Set<string>();
  const texts = new Map<string, string[]>();
  let last = -1;
  let summary: { readonly text: string; readonly offset: number } | undefined;
  for (const event of after.events) {
    const original = known.get(event.id);
    if (!original) {
      if (summary || !CondensationSummaryEvent.is(event)) throw rewritten(event);
      summary = { text: event.summary, offset: kept.size };
      continue;
    }
    if (original.index <= last) throw rewritten(event);
    last = original.index;
    kept.add(event.id);
    if (event === original.event) continue;
    if (!ObservationEvent.is(event) || !isMasked(event)) throw rewritten(event);
    const text = textOf(event.observation.content);
    texts.set(text, [...(texts.get(text) ?? []), event.id]);
  }
  const masks: readonly ObservationMask[] = [...texts].map(([text, eventIds]) => ({ eventIds, text }));
  const forget = before.events.flatMap(({ id }) => (kept.has(id) ? [] : [id]));
  if (forget.length === 0 && !summary) return masks.length > 0 ? { kind: 'mask', masks } : undefined;
  return {
    kind: 'condensation',
    forget,
    ...(summary && { summary: summary.text, summaryOffset: summary.offset }),
    ...(masks.length > 0 && { masks }),
  };
}

/** Returns the plan of any answer; undefined if the view stays as it is, the reason if it cannot be changed. */
export function planOfAnswer(view: View, answer: CondenserAnswer): Plan | NothingToCondense | undefined {
  if ('kind' in answer) return answer;
  return answer === view ? undefined : planOfView(view, answer);
}

function rewritten({ id, kind }: BaseEvent): CondenserError {
  return new CondenserError('invalid', `A condenser added, moved or rewrote the event ${id} of kind ${kind}.`);
}
