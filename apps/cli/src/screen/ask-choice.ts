import type { Choice, ChoiceQuestion } from '@varve/host/people';
import { quotedRows } from '../terminal/rows.ts';
import { QuestionPrompt } from './question-prompt.ts';
import type { Screen } from './screen.ts';

/**
 * Asks for one of several answers, and returns its id; undefined for none. A text refuses, and is left in the editor
 * as the next message.
 */
export async function askChoice(
  { title, choices }: Pick<ChoiceQuestion, 'title' | 'choices'>,
  screen: Screen,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const refusal = choices.find(({ isRefusal }) => isRefusal)?.id;
  const words = choices.map(({ id }) => id);
  const chosenBy = (text: string): Choice | undefined =>
    choices.find(({ id, label }) => [id, label.toLowerCase()].includes(text.toLowerCase()));
  let message = '';
  const prompt = new QuestionPrompt<string | undefined>(
    {
      rows: (width) => ({ titleRows: quotedRows(title, width), rows: [] }),
      choices: choices.map(({ id, label }) => ({ label, select: () => id })),
      read(text) {
        const chosen = chosenBy(text);
        if (chosen) return { answer: chosen.id };
        if (refusal === undefined) return { problem: `Type one of: ${words.join(', ')}.` };
        message = text;
        return { answer: refusal };
      },
      textHint: (text) =>
        chosenBy(text)?.label ?? 'Enter refuses, and leaves this in the input line as your next message.',
      none: undefined,
    },
    screen.theme,
  );
  const answer = await screen.ask(prompt, signal);
  if (message !== '') screen.editor.setText(message);
  return answer;
}
