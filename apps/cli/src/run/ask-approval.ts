import type { PendingCall } from '@varve/events/projections';
import { callLines } from '@varve/events/text';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Decision of the user: approve, leave waiting, or reject with a reason. */
export type Approval = 'yes' | 'quit' | { readonly reason: string };

/**
 * Shows the waiting calls in full and asks for a decision: yes, no, no with a reason, or leave them waiting. Ctrl-C,
 * Ctrl-D and an abort leave them waiting.
 */
export async function askApproval(
  pending: readonly Pick<PendingCall, 'event'>[],
  io: TerminalIo,
  signal: AbortSignal,
): Promise<Approval> {
  io.stderr.line(styled('yellow', 'The agent requests approval for:'));
  for (const { event } of pending) {
    for (const { text } of callLines(event)) io.stderr.text(text.replaceAll(/^/gm, '  '));
    if (event.security_risk !== 'UNKNOWN') io.stderr.line(`  risk rated by the model: ${event.security_risk}`);
  }
  const answer = (await io.ask('Approve? [y]es, [n]o, [q]uit, or a reason to reject: ', signal))?.trim();
  if (answer === undefined) io.stderr.line('');
  if (answer === undefined || /^(q|quit)$/i.test(answer)) return 'quit';
  if (/^y(es)?$/i.test(answer)) return 'yes';
  return { reason: answer === '' || /^no?$/i.test(answer) ? 'The user rejected the call.' : answer };
}
