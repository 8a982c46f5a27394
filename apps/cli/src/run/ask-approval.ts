import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { describeRule } from '@varve/agent/confirmation';
import { quotedRows, readingHints } from '../terminal/rows.ts';
import {
  callRows,
  placeRows,
  proposedRules,
  reasonRows,
  sessionGrant,
  type CallPlace,
  type WaitingCall,
} from './waiting-call.ts';

/** Decision of the user about one call; `later` leaves all waiting calls as they are. */
export type Approval = 'once' | 'session' | 'always' | 'later' | { readonly reason: string };

/** Place of a call among those that are asked about. */
export interface Question {
  readonly call: WaitingCall;
  readonly place: CallPlace;
  /** Name of the sub-agent that wants to make the call; undefined for the agent. */
  readonly subAgent?: string | undefined;
  /** From 1. */
  readonly number: number;
  readonly count: number;
}

/**
 * Shows one waiting call in full, with the reason why it waits, and asks for a decision until there is one. The end of
 * the input, Ctrl-C, Ctrl-D and an abort decide nothing.
 */
export async function askApproval(
  { call, place, number, count, subAgent }: Question,
  io: TerminalIo,
  signal: AbortSignal,
): Promise<Approval> {
  const owner = subAgent === undefined ? '' : ` of the sub-agent ${subAgent}`;
  const { columns } = io.stderr;
  const title = `Approve this tool call${owner}?${count > 1 ? ` (${number} of ${count})` : ''}`;
  const grant = sessionGrant(call, place);
  const rules = proposedRules(call, place);
  const choices = [
    '[y] once',
    ...(grant ? [`[s] for this session: ${grant.covers}`] : []),
    ...(rules.length > 0 ? [`[a] always in this project: ${rules.map(describeRule).join(', ')}`] : []),
    '[n] reject, [n REASON] reject with a reason',
    '[q] decide later',
  ];
  const titleRows = quotedRows(title, columns);
  const rows = [
    ...callRows(call, columns),
    ...placeRows(call, place, columns),
    ...reasonRows(call, columns),
    ...choices.flatMap((choice) => quotedRows(choice, columns)),
  ];
  for (const row of titleRows) io.stderr.text(styled('yellow', row));
  for (const row of rows) io.stderr.text(row);
  for (const row of readingHints([...titleRows, ...rows], io.stderr)) io.stderr.text(styled('yellow', row));
  for (;;) {
    const answer = await io.ask('Choice: ', signal);
    if (answer === undefined) {
      io.stderr.line('');
      return 'later';
    }
    const approval = approvalFor(answer.trim(), { s: grant !== undefined, a: rules.length > 0 });
    if (approval !== undefined) return approval;
    const letters = ['y', ...(grant ? ['s'] : []), ...(rules.length > 0 ? ['a'] : []), 'n', 'n REASON', 'q'];
    io.stderr.text(`Type one of: ${letters.join(', ')}.`);
  }
}

function approvalFor(answer: string, offered: { readonly s: boolean; readonly a: boolean }): Approval | undefined {
  if (/^y(es)?$/i.test(answer)) return 'once';
  if (/^s$/i.test(answer) && offered.s) return 'session';
  if (/^a$/i.test(answer) && offered.a) return 'always';
  if (/^q(uit)?$/i.test(answer)) return 'later';
  const rejection = /^no?(?:\s+(?<reason>\S.*))?$/is.exec(answer);
  return rejection ? { reason: rejection.groups?.['reason'] ?? 'The user rejected the call.' } : undefined;
}
