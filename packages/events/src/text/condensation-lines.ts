import type { Condensation } from '../kinds/condensation.ts';
import { firstLines, indented } from './excerpt.ts';
import type { TextLine } from './text-line.ts';

/** Lines of a summary that are shown. */
const summaryLength = 12;

/** Renders what a condensation forgot: the number of events, and the beginning of their summary. */
export function forgottenLines({ forgotten_event_ids: ids, summary }: Condensation): readonly TextLine[] {
  const { length } = ids;
  // One without events only ends a request to condense.
  if (length === 0) return [];
  const text = `… ${length === 1 ? '1 event is' : `${length} events are`} no longer shown to the model`;
  if (summary === undefined || summary.trim() === '') return [{ mark: 'quiet', text }];
  return [
    { mark: 'quiet', text },
    { mark: 'quiet', text: indented(firstLines(summary.trim(), summaryLength)) },
  ];
}
