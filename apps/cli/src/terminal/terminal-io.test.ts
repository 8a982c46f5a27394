import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { styled, type TerminalIo } from './terminal-io.ts';

function ioWith(isTTY: boolean, env: Record<string, string> = {}): TerminalIo {
  const stderr = Object.assign(new PassThrough(), { isTTY });
  return { env, cwd: '/', stdin: new PassThrough(), stdout: new PassThrough(), stderr };
}

test('colours appear on a terminal only, and never with NO_COLOR', () => {
  expect(styled(ioWith(true), 'red', 'x')).toBe('\u001B[31mx\u001B[39m');
  expect(styled(ioWith(false), 'red', 'x')).toBe('x');
  expect(styled(ioWith(true, { NO_COLOR: '1' }), 'red', 'x')).toBe('x');
});
