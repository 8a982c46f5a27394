import { test } from 'vitest';
import { workForADay } from './session-day.ts';
import { openTmuxWindow, tmuxProblem } from './tmux-window.ts';

if (tmuxProblem !== undefined) process.stderr.write(`NOT TESTED: a session in tmux. ${tmuxProblem}\n`);

test.skipIf(tmuxProblem !== undefined)('a person works for a day in tmux, with the program in processes', async () => {
  await workForADay({ open: openTmuxWindow });
});
