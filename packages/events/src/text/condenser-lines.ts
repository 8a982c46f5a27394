import type { BaseEvent } from '../define-event.ts';
import { condensationFact } from '../facts/condensation.ts';
import { safeText } from '../safe-text/safe-text.ts';
import { firstLines } from './excerpt.ts';
import type { TextLine } from './text-line.ts';

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

/**
 * Renders the fact of an attempt to condense for people who follow a run: its tokens before and after and the kinds of
 * events, or the reason of its failure. Returns no lines for other events. Apart from `eventLines`, because pages that
 * show conversations need no facts.
 */
export function condenserLines(event: BaseEvent): readonly TextLine[] {
  const attempt = condensationFact.read(event);
  if (!attempt) return [];
  return attemptLines(attempt).map((line) => ({ ...line, text: safeText(line.text) }));
}

function attemptLines(attempt: Attempt): readonly TextLine[] {
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
