import type { Editor } from '@earendil-works/pi-tui';
import { editableCommand, type Approval, type CallQuestion } from '@varve/host/people';
import { answersTo, approvalOf, approvalRows } from '../wording/approval-rows.ts';
import type { Prompt } from './prompts.ts';
import { QuestionPrompt } from './question-prompt.ts';
import type { Theme } from './theme.ts';

/** Returns the prompt that asks about a call, whose command the editor edits. A text is the reason of a rejection. */
export function approvalPrompt(question: CallQuestion, theme: Theme, editor: Editor): Prompt<Approval> {
  const answers = answersTo(question);
  // What is selected first allows nothing.
  const ordered = answers.toSorted((a, b) => Number(b.word === 'n') - Number(a.word === 'n'));
  return new QuestionPrompt<Approval>(
    {
      rows: (width) => approvalRows(question, width),
      choices: ordered.map(({ word, label, approval }) => ({
        label: word === 'n' ? 'reject; a text that you type is the reason' : label,
        select: () => (word === 'e' ? commandPrompt(question, editor) : approval),
      })),
      read(text) {
        const answer = approvalOf(text, question);
        if (answer !== undefined && !(typeof answer === 'object' && 'command' in answer)) return { answer };
        if (/\s/.test(text)) return { answer: { reason: text } };
        return { problem: 'Choose an answer with the arrow keys, or type a reason of more than one word.' };
      },
      textHint: (text) => {
        const chosen = answers.find(({ approval }) => approval === approvalOf(text, question));
        if (chosen) return `Enter answers: ${chosen.label}`;
        return 'Enter rejects the call with this reason. Esc removes it.';
      },
      none: 'later',
    },
    theme,
  );
}

/** Lets the person change the command of a call, which then runs in its place. */
function commandPrompt({ call }: CallQuestion, editor: Editor): Prompt<Approval> {
  const { promise, resolve } = Promise.withResolvers<Approval>();
  editor.setText(editableCommand(call) ?? '');
  editor.onSubmit = (text) => {
    if (text.trim() !== '') resolve({ command: text });
  };
  return Object.assign(editor, { answer: promise, cancel: () => resolve('later') });
}
