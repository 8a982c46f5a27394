import { describe, expect, test } from 'vitest';
import { cutLines } from '../support/cut-lines.ts';
import { backends, callUntil, openTerminal, outputOf } from '../support/open-terminal.ts';

const endless = 'while :; do echo on; sleep 0.5; done';

describe.for(backends)('a shell on a %s', ([, pty]) => {
  test('a command that bash still executes after C-c has discarded the beginning of its line is interrupted again', async () => {
    await using shell = await cutLines(pty);
    // More than once, because on a busy machine C-c may be too slow, and then the shell itself is killed.
    const attempt = async (cut: number): Promise<unknown> => [
      await shell.interrupted(endless, cut),
      await shell.outputOf('echo alive'),
    ];
    // The rest is: the whole line, the line without its first character, an open quote, and nothing.
    for (const cut of [0, 1, 40, 10_000])
      await expect.poll(() => attempt(cut), { timeout: 20_000, interval: 1 }).toEqual(['finished', 'alive']);
  });
});

test.for([
  ['one line', ['b']],
  ['a command', ['b; touch stray; echo b', 'c']],
  ['many lines', Array.from({ length: 40 }, (_, line) => `echo ${line}`)],
] as const)('what a read of the shell has read ahead, %s, is no part of the next command', async ([, lines]) => {
  await using shell = await openTerminal(true, { noChangeTimeoutMs: 100 });
  await callUntil(shell, { command: 'stty -icanon; echo ready; read line; echo "got $line"' }, 'ready');
  await callUntil(shell, { command: `TEXT:a\r${lines.join('\r')}`, is_input: true, timeout: 20 }, 'got a');
  expect(outputOf(await shell.call({ command: 'ls', timeout: 20 }))).toBe('');
  expect(outputOf(await shell.call({ command: 'read line < /dev/null; echo "[$line]"', timeout: 20 }))).toBe('[]');
});

test('lines that a program did not read before C-c are not executed, and are no part of the next command', async () => {
  await using shell = await openTerminal(true, { noChangeTimeoutMs: 100 });
  for (const [count, chars] of [
    [5, 1000],
    [3, 3900],
  ]) {
    await callUntil(shell, { command: 'echo ready; sleep 0.3', timeout: 0.1 }, 'ready');
    const line = `echo ${'x'.repeat(chars ?? 0)}`;
    for (let number = 0; number < (count ?? 0); number += 1)
      await shell.call({ command: line, is_input: true, timeout: 0 });
    for (let ended = -1; ended === -1;)
      ended = Number((await shell.call({ command: 'C-c', is_input: true, timeout: 0.5 }))['exit_code']);
    expect(outputOf(await shell.call({ command: 'echo next', timeout: 20 }))).toBe('next');
  }
});
