import { eventToRun, type CallPlace, type ChoiceQuestion, type WaitingCall } from '@varve/host/people';
import type { RiskVerdict } from '@varve/events/facts';
import { TerminalAction } from '@varve/events/payloads';
import { callLines, revealHidden } from '@varve/events/text';
import { barredRows, quotedRows } from '../terminal/rows.ts';

/** Returns the texts of others and the call that a question is about, as rows for a terminal of this width. */
export function questionRows({ texts = [], call }: ChoiceQuestion, columns: number): readonly string[] {
  const quoted = texts.flatMap((text) => barredRows(revealHidden(text), columns));
  return call ? [...quoted, ...callRows(call, columns), ...placeRows(call, call.place, columns)] : quoted;
}

/** Returns all of a call, as it would run, as rows for a terminal of this width. */
export function callRows(call: WaitingCall, columns: number): readonly string[] {
  return callLines(eventToRun(call)).flatMap(({ text }) => barredRows(text, columns));
}

/**
 * Returns why a call waits, for a terminal of this width: the findings of the analyzer, and the model's own rating
 * where it differs. Findings quote the call, so every character is visible, and rows that continue one are indented.
 */
export function reasonRows(call: WaitingCall, columns: number): readonly string[] {
  return reasonsOf(call).flatMap((reason) => quotedRows(reason, columns));
}

function reasonsOf({ event, review }: WaitingCall): readonly string[] {
  const verdict = review?.verdict;
  const isRated = event.security_risk !== 'UNKNOWN';
  const rating = isRated ? `the model rates it ${event.security_risk}` : 'the model did not rate it';
  const decided = review?.rule === undefined ? [] : [`Your rule: ${review.rule}`];
  if (!verdict && decided.length > 0) return decided;
  if (!verdict)
    return [
      isRated ? `Model's risk rating: ${event.security_risk}` : 'Its risk is not known, or every call is asked about.',
    ];
  const rows = verdict.reasons
    .filter((reason) => reason.risk === verdict.risk && !isOwnRating(reason))
    .map(({ risk, text, rule }) => `${risk}: ${text}${rule === undefined ? '' : ` (rule ${rule})`}`);
  const [first, ...more] = rows;
  return [
    ...decided,
    ...(first === undefined ? [`${verdict.risk}: ${rating}`] : [`${first.replace(/\.$/, '')}; ${rating}`, ...more]),
  ];
}

/** Returns where the command of a call would start, if that is another directory than the workspace. */
export function placeRows(call: WaitingCall, { directories }: CallPlace, columns: number): readonly string[] {
  const terminal = TerminalAction.read(eventToRun(call).action);
  if (!terminal || terminal.is_input || terminal.reset || directories?.length === 0) return [];
  if (!directories)
    return quotedRows('It starts where earlier commands left the shell, which is not known here.', columns);
  return quotedRows(`May start in ${directories.join(' or ')}, where earlier commands leave the shell.`, columns);
}

/** Reports whether a reason only repeats the rating of the model. A finding with a rule quotes the call. */
function isOwnRating({ text, rule }: RiskVerdict['reasons'][number]): boolean {
  return rule === undefined && text.startsWith('The model ');
}
