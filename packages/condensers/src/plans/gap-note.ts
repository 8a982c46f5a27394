import type { BaseEvent } from '@varve/events';
import { CondensationSummaryEvent } from '@varve/events/kinds';
import type { CondensationPlan } from '../condenser.ts';
import { forgettable, type Segment } from './segment.ts';

const noteForm = /^(\d+) earlier events of this conversation are not shown\.(?:\nNoted about them:\n([^]*))?$/;
/** Maximum length of copied notes in characters; older text is dropped first. */
const maxNoteLength = 8_000;

/**
 * Returns the note that replaces forgotten events: their number, including those counted by earlier notes, and the text
 * of earlier summaries among them.
 */
export function gapNote(forgotten: readonly BaseEvent[]): string {
  let count = 0;
  const notes: string[] = [];
  for (const event of forgotten) {
    const [, hidden, note] = (CondensationSummaryEvent.is(event) && noteForm.exec(event.summary)) || [];
    count += hidden === undefined ? 1 : Number(hidden);
    if (note !== undefined) notes.push(note);
    else if (hidden === undefined && CondensationSummaryEvent.is(event)) notes.push(event.summary);
  }
  const sentence = `${count} earlier events of this conversation are not shown.`;
  const copied = notes.join('\n').trim();
  return copied === '' ? sentence : `${sentence}\nNoted about them:\n${copied.slice(-maxNoteLength)}`;
}

/** Returns the plan that replaces the events of a segment by a {@link gapNote}. */
export function gapPlan(events: readonly BaseEvent[], segment: Segment): CondensationPlan {
  const forgotten = forgettable(events, segment);
  return {
    kind: 'condensation',
    forget: forgotten.map(({ id }) => id),
    summary: gapNote(forgotten),
    summaryOffset: segment.start,
  };
}
