import { normalize } from 'node:path/posix';
import { isCovered, suggestedRules, type PermissionRule } from '@varve/agent/confirmation';
import { FileEditorAction, TerminalAction } from '@varve/events/payloads';
import type { RiskVerdict } from '@varve/events/facts';
import type { PendingCall } from '@varve/events/projections';
import { callLines } from '@varve/events/text';
import { barredRows, quotedRows } from '../terminal/rows.ts';

/** Call that waits for a person. */
export type WaitingCall = Pick<PendingCall, 'event' | 'review'>;

/** Where a call would run. */
export interface CallPlace {
  readonly workspace: string;
  /** Directories other than the workspace in which a command may start. */
  readonly directories: readonly string[];
}

/** Reports whether a person is asked about a call. Without a stored review, every call of its reply is asked about. */
export function isAsked({ review }: WaitingCall): boolean {
  return review?.asks ?? true;
}

/** Returns all of a call as rows for a terminal of this width. */
export function callRows({ event }: WaitingCall, columns: number): readonly string[] {
  return callLines(event).flatMap(({ text }) => barredRows(text, columns));
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
  return [...decided, ...(first === undefined ? [`${verdict.risk}: ${rating}`] : [`${first}; ${rating}`, ...more])];
}

/** Returns where the command of a call would start, if that is another directory than the workspace. */
export function placeRows({ event }: WaitingCall, { directories }: CallPlace, columns: number): readonly string[] {
  const terminal = TerminalAction.read(event.action);
  if (!terminal || terminal.is_input || terminal.reset || directories.length === 0) return [];
  return quotedRows(`May start in ${directories.join(' or ')}, where earlier commands leave the shell.`, columns);
}

/** Reports whether a reason only repeats the rating of the model. A finding with a rule quotes the call. */
function isOwnRating({ text, rule }: RiskVerdict['reasons'][number]): boolean {
  return rule === undefined && text.startsWith('The model ');
}

/** Returns the rules that "always" adds for a call; empty if no rule can cover it, or one decided that it waits. */
export function proposedRules({ event, review }: WaitingCall, place: CallPlace): readonly PermissionRule[] {
  if (!event.action || review?.rule !== undefined) return [];
  return suggestedRules({ toolName: event.tool_name, action: event.action, ...place });
}

/** Reports whether rules that were added after a call was stored cover it. */
export function isCoveredBy(rules: readonly PermissionRule[], call: WaitingCall, place: CallPlace): boolean {
  const { event, review } = call;
  if (!event.action || review?.rule !== undefined || changesConfiguration(call)) return false;
  return isCovered(rules, { toolName: event.tool_name, action: event.action, ...place });
}

/** Reports whether a person must see each such call: it may change what agents or git run. */
function changesConfiguration({ review }: WaitingCall): boolean {
  return review?.verdict?.reasons.some(({ rule }) => rule === 'config.write') ?? false;
}

/** Calls that an approval for the session covers. */
export interface SessionGrant {
  /** Equal for the calls that are covered. */
  readonly key: string;
  /** Describes them, as in "approve … for this session". */
  readonly covers: string;
}

/**
 * Returns what an approval of a call for the session covers: the same command of the terminal where it may start in the
 * same directories, the same edit command on the same file, or the same arguments of another tool; of a call that may
 * change what agents or git run, only the same arguments. Input for a running program has no meaning of its own, so it
 * is never covered.
 */
export function sessionGrant(waiting: WaitingCall, { workspace, directories }: CallPlace): SessionGrant | undefined {
  const { event } = waiting;
  const { tool_name: tool, tool_call: call } = event;
  const terminal = TerminalAction.read(event.action);
  if (terminal) {
    if (terminal.is_input) return undefined;
    // Blanks count, too: some end a file name, and others are no blanks for a shell.
    const where = [workspace, ...directories.toSorted()];
    const key = JSON.stringify([tool, terminal.command, terminal.reset, where]);
    return { key, covers: 'exactly this command, in this directory' };
  }
  const edit = FileEditorAction.read(event.action);
  if (edit && !changesConfiguration(waiting)) {
    const path = normalize(edit.path);
    return { key: JSON.stringify([tool, edit.command, path, workspace]), covers: `every ${edit.command} of this file` };
  }
  return { key: JSON.stringify([tool, call.arguments, workspace]), covers: `exactly this call of ${tool}` };
}
