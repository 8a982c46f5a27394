import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { printable, styled, type TerminalIo } from './terminal-io.ts';

function ioWith(isTTY: boolean, env: Record<string, string> = {}): TerminalIo {
  const stderr = Object.assign(new PassThrough(), { isTTY });
  return { env, cwd: '/', stdin: new PassThrough(), stdout: new PassThrough(), stderr };
}

test('colours appear on a terminal only, and never with NO_COLOR', () => {
  expect(styled(ioWith(true), 'red', 'x')).toBe('\u001B[31mx\u001B[39m');
  expect(styled(ioWith(false), 'red', 'x')).toBe('x');
  expect(styled(ioWith(true, { NO_COLOR: '1' }), 'red', 'x')).toBe('x');
});

test.for([
  ['a title', '\u001B]0;owned\u0007text', 'text'],
  ['a colour', '\u001B[31mred\u001B[0m', 'red'],
  ['a cleared screen', '\u001B[2J\u001B[Htext', 'text'],
  ['a link', '\u001B]8;;http://x\u001B\\text\u001B]8;;\u001B\\', 'text'],
  ['a bell and a backspace', 'a\u0007b\u0008c', 'abc'],
  ['a carriage return', 'one\rtwo', 'onetwo'],
  ['an eight-bit control', 'a\u009B31mb', 'ab'],
  ['a tab', 'a\tb', 'a    b'],
  ['lines', 'a\nb', 'a\nb'],
])('%s cannot reach the terminal', ([, raw, shown]) => {
  expect(printable(raw ?? '')).toBe(shown);
});
