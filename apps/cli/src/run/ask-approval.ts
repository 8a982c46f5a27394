import { createInterface } from 'node:readline';
import type { PendingCall } from '@varve/events/projections';
import { callLines } from '@varve/events/text';
import { styled, type TerminalIo } from '../terminal/terminal-io.ts';

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
  io.stderr.write(`${styled(io, 'yellow', 'The agent requests approval for:')}\n`);
  for (const { event } of pending) {
    for (const { text } of callLines(event)) io.stderr.write(`${text.replaceAll(/^/gm, '  ')}\n`);
    if (event.security_risk !== 'UNKNOWN') io.stderr.write(`  risk rated by the model: ${event.security_risk}\n`);
  }
  const answer = (await ask('Approve? [y]es, [n]o, [q]uit, or a reason to reject: ', io, signal))?.trim();
  if (answer === undefined) io.stderr.write('\n');
  if (answer === undefined || /^(q|quit)$/i.test(answer)) return 'quit';
  if (/^y(es)?$/i.test(answer)) return 'yes';
  return { reason: answer === '' || /^no?$/i.test(answer) ? 'The user rejected the call.' : answer };
}

/** Resolves to a line of input, or to undefined if the input ends or the signal aborts first. */
async function ask(question: string, io: TerminalIo, signal: AbortSignal): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  const close = (): void => lines.close();
  signal.addEventListener('abort', close);
  try {
    return await new Promise((resolve) => {
      lines.once('close', () => resolve(undefined));
      lines.question(question, resolve);
    });
  } finally {
    signal.removeEventListener('abort', close);
    lines.close();
  }
}
