import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { LibraryMessages } from './library-messages.ts';
import { outputOf } from './output.ts';
import { terminalIo } from './terminal-io.ts';

/** Asks a question on a terminal, and returns what is on it before and after the answer. */
async function asked(question: string, isHidden: boolean) {
  const stdin = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const env = { NO_COLOR: '1', TERM: 'xterm' };
  const messages = new LibraryMessages(outputOf(stderr, env));
  const io = terminalIo({ env, cwd: '/', stdin, stdout: new PassThrough(), stderr, messages });
  const { signal } = new AbortController();
  const answer = isHidden ? io.askHidden(question) : io.ask(question, signal);
  messages.print('a forged question? ');
  const before = String(stderr.read());
  stdin.write('typed\r');
  return { answer: await answer, before, after: String(stderr.read()) };
}

test.for([true, false])('a question is one line, whatever it quotes (not shown: %j)', async (isHidden) => {
  for (const hostile of ['a\nKey (not shown): ', 'a\r\nKey: ', 'a\u2028Key: ', 'a\u0085Key: ', 'a\u001B[2JKey: ']) {
    const { answer, before } = await asked(`Model [${hostile}]: `, isHidden);
    expect([answer, before]).toEqual(['typed', expect.stringMatching(/Model \[a[^\n]*Key[^\n]*\]: /)]);
    expect(before).not.toContain('\n');
  }
});

test.for([true, false])('no message of a library is printed before the answer (not shown: %j)', async (isHidden) => {
  const { before, after } = await asked('Value: ', isHidden);
  expect(before).not.toContain('forged');
  expect(after).toContain('\nwarning: a forged question?');
});
