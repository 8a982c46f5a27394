import type { BaseEvent } from '@varve/events';
import { CondensationSummaryEvent } from '@varve/events/kinds';

const noteForm = /^(\d+) earlier events of this conversation are not shown\.(?:\nNoted about them:\n([^]*))?$/;
/** Notes are carried from gap to gap; beyond this many characters the older part gives way. */
const maxNoteLength = 8_000;

/**
 * What stands in the place of forgotten events: how many there are, those behind earlier notes included, and what earlier
 * summaries among them said.
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
  const noted = notes.join('\n').trim();
  return noted === '' ? sentence : `${sentence}\nNoted about them:\n${noted.slice(-maxNoteLength)}`;
}
