import type { condensationFact } from '../facts/condensation.ts';
import type { Condensation } from '../kinds/condensation.ts';
import { firstLines, indented } from './excerpt.ts';
import type { TextLine } from './text-line.ts';

/** Lines of a summary that are shown. */
const summaryLength = 12;

type Attempt = NonNullable<ReturnType<typeof condensationFact.read>>;

/** Plural nouns for kinds of events. */
const nouns: Readonly<Record<string, string>> = {
  ActionEvent: 'calls',
  ObservationEvent: 'results',
  AgentErrorEvent: 'errors',
  UserRejectObservation: 'rejections',
  MessageEvent: 'messages',
  CondensationSummaryEvent: 'summaries',
};

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

/** Renders an attempt to condense: tokens before and after, and the kinds of events, or the reason of its failure. */
export function attemptLines(attempt: Attempt): readonly TextLine[] {
  const { condenser, tokens_before: before, tokens_after: after, problem, focus } = attempt;
  if (after === undefined) {
    return [{ mark: 'warning', text: `could not condense (${condenser}): ${problem ?? 'unknown reason'}` }];
  }
  const parts = [
    `condensed by ${condenser}: about ${count(before)} → ${count(after)} tokens`,
    ...kindParts(attempt),
    ...(focus === undefined ? [] : [`focus: ${firstLines(focus, 1)}`]),
  ];
  return [
    { mark: 'quiet', text: parts.join(' · ') },
    ...(problem === undefined ? [] : [{ mark: 'warning' as const, text: `without a summary: ${problem}` }]),
  ];
}

function kindParts({ forgotten = {}, masked = 0 }: Attempt): readonly string[] {
  const kinds = Object.entries(forgotten).map(([kind, number]) => `${number} ${nouns[kind] ?? kind}`);
  return [
    ...(kinds.length > 0 ? [`forgot ${kinds.join(', ')}`] : []),
    ...(masked > 0 ? [`masked ${masked} ${masked === 1 ? 'output' : 'outputs'}`] : []),
  ];
}

function count(tokens: number): string {
  return tokens.toLocaleString('en');
}
