import { describe, expect, test } from 'vitest';
import { cutLines } from '../support/cut-lines.ts';
import { backends } from '../support/open-terminal.ts';

const endless = 'while :; do echo on; sleep 0.5; done';

describe.for(backends)('a shell on a %s', ([, pty]) => {
  test('a command that bash still executes after C-c has discarded the beginning of its line is interrupted again', async () => {
    await using shell = await cutLines(pty);
    // The rest is: the whole line, the line without its first character, an open quote, and nothing.
    for (const cut of [0, 1, 40, 10_000]) {
      expect(await shell.interrupted(endless, cut)).toBe('finished');
      expect(await shell.outputOf('echo alive')).toBe('alive');
    }
  });
});
