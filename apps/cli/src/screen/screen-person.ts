import type { Person } from '@varve/host/people';
import { questionRows } from '../wording/call-rows.ts';
import { openBrowser } from '../terminal/open-browser.ts';
import { revealedLine } from '../terminal/rows.ts';
import { approvalPrompt } from './approval-prompt.ts';
import { askChoice } from './ask-choice.ts';
import type { Screen } from './screen.ts';
import { textPrompt } from './prompts.ts';

/** Returns the person at the screen of a session. */
export function screenPerson(screen: Screen): Person {
  const { status, theme } = screen;
  return {
    async approve(question, signal) {
      status.set(undefined);
      screen.ring();
      const approval = await screen.ask(approvalPrompt(question, theme, screen.newEditor()), signal);
      if (approval !== 'later') status.set('waiting for the model');
      return approval;
    },
    // Answers that allow nothing are the first ones.
    async choose(question, signal) {
      const { title, texts = [], choices } = question;
      screen.ring();
      const rows = questionRows(question, screen.columns);
      if (texts.length > 0) status.set(undefined);
      if (rows.length > 0) screen.print([...(texts.length > 0 ? [title] : []), ...rows].join('\n'));
      const ordered = choices.toSorted((a, b) => Number(b.isRefusal ?? false) - Number(a.isRefusal ?? false));
      return askChoice({ title, choices: ordered }, screen, signal);
    },
    async type(title, signal) {
      screen.ring();
      const typed = await screen.ask(textPrompt(title, theme), signal);
      if (typed !== undefined) screen.print(`${revealedLine(title)}: ${typed}`, 'dim');
      return typed;
    },
    openAddress: (address) => openBrowser(address, screen.io.env),
  };
}
