import type { ChoiceQuestion, Person } from '@varve/host/people';
import { openBrowser } from '../terminal/open-browser.ts';
import { styled } from '../terminal/output.ts';
import { quotedRows, readingHints } from '../terminal/rows.ts';
import { askApproval } from './ask-approval.ts';
import { questionRows } from '../wording/call-rows.ts';
import type { Display } from './event-printer.ts';

/** Returns the person at a terminal who types answers in lines, below which no line is printed during a question. */
export function terminalPerson({ io, progress }: Display): Person {
  return {
    approve: async (question, signal) => progress.hiddenDuring(async () => askApproval(question, io, signal)),
    choose: async (question, signal) => progress.hiddenDuring(async () => choose(question, io, signal)),
    type: async (title, signal) =>
      progress.hiddenDuring(async () => {
        for (const row of quotedRows(title, io.stderr.columns)) io.stderr.text(styled('yellow', row));
        return io.ask('Answer: ', signal);
      }),
    openAddress: (address) => openBrowser(address, io.env),
  };
}

/** Returns the letters of the answer; undefined for the end of the input and an abort. */
async function choose(question: ChoiceQuestion, io: Display['io'], signal: AbortSignal): Promise<string | undefined> {
  const { stderr } = io;
  const { title, choices } = question;
  const titles = quotedRows(title, stderr.columns);
  const rows = questionRows(question, stderr.columns);
  const answers = choices.flatMap(({ id, label }) => quotedRows(`[${id}] ${label}`, stderr.columns));
  for (const row of titles) stderr.text(styled('yellow', row));
  for (const row of [...rows, ...answers]) stderr.text(row);
  for (const hint of readingHints([...titles, ...rows], stderr)) stderr.text(styled('yellow', hint));
  for (;;) {
    const answer = (await io.ask('Choice: ', signal))?.trim().toLowerCase();
    if (answer === undefined) stderr.line('');
    if (answer === undefined || choices.some(({ id }) => id === answer)) return answer;
    stderr.text(`Type one of: ${choices.map(({ id }) => id).join(', ')}.`);
  }
}
