import type { PendingCall } from '@varve/events/projections';
import { askedOf, placesIn, type WaitingConversation } from '@varve/host/people';
import { styled } from '../terminal/output.ts';
import { quotedRows, readingHints } from '../terminal/rows.ts';
import { callRows, placeRows, reasonRows } from '../wording/call-rows.ts';
import type { Display } from './event-printer.ts';
import { resumeCommand } from '../opening/resume-command.ts';
import type { RunOptions } from '../opening/run-options.ts';

/** Number of hex digits of a digest that are printed. */
const shownDigits = 16;

/**
 * Prints the waiting calls, why they wait, and how to decide about them. `subAgent` is the name of the sub-agent that
 * made them.
 */
export function printWaiting(
  conversation: WaitingConversation,
  { subAgent, ...options }: RunOptions & { readonly subAgent?: string },
  { io, progress }: Display,
): void {
  const { pending } = conversation.state;
  const count = pending.length === 1 ? '1 tool call' : `${pending.length} tool calls`;
  const owner = subAgent === undefined ? '' : ` of the sub-agent ${subAgent}`;
  const { columns } = io.stderr;
  const titleRows = quotedRows(`Waiting for approval of ${count}${owner}:`, columns);
  for (const row of titleRows) progress.above(styled('yellow', row));
  const asked = new Set(askedOf(pending, options.confirm === 'ask'));
  const placeOf = placesIn(conversation);
  const rows = pending.flatMap((call) => [
    ...callRows(call, columns),
    ...placeRows(call, placeOf(call), columns),
    ...(asked.has(call) ? reasonRows(call, columns) : [`${stateOf(call)}; it waits for the others.`]),
  ]);
  for (const row of rows) progress.above(row);
  for (const hint of readingHints([...titleRows, ...rows], io.stderr)) progress.above(styled('yellow', hint));
  if (options.demo) return;
  const resume = resumeCommand(conversation.id, options, io);
  const digest = conversation.digestOf(pending).slice(0, shownDigits);
  progress.lineAbove(`Approve with: ${resume} --approve ${digest}`);
  progress.lineAbove(`Reject with:  ${resume} --reject "why"`);
}

function stateOf({ approvedDigest, approvedAction }: PendingCall): string {
  if (approvedDigest === undefined) return 'Not risky';
  return approvedAction ? 'Approved with other arguments' : 'Approved';
}

/** Prints calls that were approved by their digest. */
export function printApproved(calls: readonly PendingCall[], { io, progress }: Display): void {
  progress.lineAbove(`Approved ${calls.length === 1 ? '1 tool call' : `${calls.length} tool calls`}:`);
  for (const row of calls.flatMap((call) => callRows(call, io.stderr.columns))) progress.above(row);
}
