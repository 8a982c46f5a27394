import type { Approval, CallQuestion } from '@varve/host/people';
import { styled } from '../terminal/output.ts';
import { readingHints } from '../terminal/rows.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { answersTo, approvalOf, approvalRows } from '../wording/approval-rows.ts';

/**
 * Shows one waiting call in full, with the reason why it waits, and asks for a decision until there is one. The end of
 * the input, Ctrl-C, Ctrl-D and an abort decide nothing.
 */
export async function askApproval(question: CallQuestion, io: TerminalIo, signal: AbortSignal): Promise<Approval> {
  const { titleRows, rows } = approvalRows(question, io.stderr.columns);
  for (const row of titleRows) io.stderr.text(styled('yellow', row));
  for (const row of rows) io.stderr.text(row);
  for (const row of readingHints([...titleRows, ...rows], io.stderr)) io.stderr.text(styled('yellow', row));
  for (;;) {
    const answer = await io.ask('Choice: ', signal);
    if (answer === undefined) {
      io.stderr.line('');
      return 'later';
    }
    const approval = approvalOf(answer, question);
    if (approval !== undefined) return approval;
    io.stderr.text(`Type one of: ${answersTo(question).join(', ')}.`);
  }
}
