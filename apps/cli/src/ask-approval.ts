import { createInterface } from 'node:readline';
import type { PendingCall } from '@varve/events/projections';
import { callLines } from '@varve/events/text';
import { styled, type TerminalIo } from './terminal-io.ts';

/** What the person answered: allow, leave waiting, or refuse for a reason. */
export type Approval = 'yes' | 'quit' | { readonly reason: string };

/**
 * Shows the calls that wait, all of each, and asks the person: yes, no, no with a reason, or leave them waiting. Who ends the input, by
 * Ctrl-C or Ctrl-D, leaves them waiting, and so does an abort.
 */
export async function askApproval(
  pending: readonly Pick<PendingCall, 'event'>[],
  io: TerminalIo,
  signal: AbortSignal,
): Promise<Approval> {
  io.stderr.write(`${styled(io, 'yellow', 'The agent wants to do this:')}\n`);
  for (const { event } of pending) {
    for (const { text } of callLines(event)) io.stderr.write(`${text.replaceAll(/^/gm, '  ')}\n`);
    if (event.security_risk !== 'UNKNOWN') io.stderr.write(`  risk, as the model sees it: ${event.security_risk}\n`);
  }
  const answer = (await answerTo('Allow it? [y]es, [n]o, [q]uit, or say why not: ', io, signal))?.trim();
  if (answer === undefined) io.stderr.write('\n');
  if (answer === undefined || /^(q|quit)$/i.test(answer)) return 'quit';
  if (/^y(es)?$/i.test(answer)) return 'yes';
  return { reason: answer === '' || /^no?$/i.test(answer) ? 'The user said no.' : answer };
}

/** Undefined when the input ends, or the signal aborts, before there is a line. */
async function answerTo(question: string, io: TerminalIo, signal: AbortSignal): Promise<string | undefined> {
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
