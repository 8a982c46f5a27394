import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { outputOf } from './output.ts';
import { LibraryMessages, printLibraryMessages } from './library-messages.ts';

const hostile = '\u001B]52;c;cm0=\u0007\u202E\u009B2Ja\r\nvarve: forged';

/** Returns what the replaced console prints, as JSON lines would be on standard output. */
function printed(print: () => void): string {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 60 });
  const restore = printLibraryMessages(new LibraryMessages(outputOf(stream, { NO_COLOR: '1' })));
  try {
    print();
  } finally {
    restore();
  }
  return String(stream.read() ?? '');
}

test.for(['warn', 'error', 'trace'] as const)('console.%s prints one safe line', (method) => {
  const values = [hostile, new Error(hostile), { [hostile]: hostile }, [hostile]];
  for (const value of values) {
    const text = printed(() => globalThis.console[method]('a %s', value));
    expect(text).toMatch(/^warning: [^\p{Cc}\p{Cf}]+\n$/u);
  }
});

test.for(['log', 'info', 'debug', 'dir', 'table'] as const)('console.%s prints nothing', (method) => {
  expect(printed(() => globalThis.console[method](hostile))).toBe('');
});

test('messages that come during questions are printed after the last of them, and not without end', () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 60 });
  const messages = new LibraryMessages(outputOf(stream, { NO_COLOR: '1' }));
  const restore = printLibraryMessages(messages);
  try {
    const [first, second] = [messages.hold(), messages.hold()];
    for (let count = 0; count < 1000; count += 1) globalThis.console.warn(`Choice: ${count}`);
    first[Symbol.dispose]();
    expect(stream.read()).toBe(null);
    second[Symbol.dispose]();
    const lines = String(stream.read()).trimEnd().split('\n');
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([100, 'warning: Choice: 0', 'warning: Choice: 99']);
    globalThis.console.warn('x');
    expect(String(stream.read())).toBe('warning: x\n');
  } finally {
    restore();
  }
});
