import type { Approval, CallQuestion } from '@varve/host/people';
import { styled } from '../terminal/output.ts';
import { quotedRows, readingHints } from '../terminal/rows.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { answersTo, approvalOf, approvalRows, type OfferedAnswer } from '../wording/approval-rows.ts';

/**
 * Shows one waiting call in full, with the reason why it waits, and asks for a decision until there is one. The end of
 * the input, Ctrl-C, Ctrl-D and an abort decide nothing.
 */
export async function askApproval(question: CallQuestion, io: TerminalIo, signal: AbortSignal): Promise<Approval> {
  const { columns } = io.stderr;
  const offered = answersTo(question);
  const { titleRows, rows } = approvalRows(question, columns);
  const choiceRows = offered.flatMap((answer) => quotedRows(shown(answer), columns));
  const all = [...titleRows, ...rows, ...choiceRows];
  for (const row of titleRows) io.stderr.text(styled('yellow', row));
  for (const row of [...rows, ...choiceRows]) io.stderr.text(row);
  for (const row of readingHints(all, io.stderr)) io.stderr.text(styled('yellow', row));
  for (;;) {
    const answer = await io.ask('Choice: ', signal);
    if (answer === undefined) {
      io.stderr.line('');
      return 'later';
    }
    const approval = approvalOf(answer, question);
    if (approval !== undefined) return approval;
    io.stderr.text(`Type one of: ${offered.flatMap(({ word }) => typedFor(word)).join(', ')}.`);
  }
}

function shown({ word, label }: OfferedAnswer): string {
  if (word === 'n') return '[n] reject, [n REASON] reject with a reason';
  return `[${typedFor(word)[0]}] ${label}`;
}

/** Returns what is typed for an answer. */
function typedFor(word: OfferedAnswer['word']): readonly string[] {
  if (word === 'n') return ['n', 'n REASON'];
  return [word === 'e' ? 'e COMMAND' : word];
}
