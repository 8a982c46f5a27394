import { PassThrough, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { outputOf, styled, type Output, type Printable } from './output.ts';

/** Creates an output, and a function that returns what was written to it. */
function output(isTTY: boolean, env: Record<string, string> = {}) {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 60 });
  let written = '';
  stream.on('data', (chunk: Buffer) => (written += chunk.toString()));
  return { output: outputOf(stream, env), written: () => written };
}

const red = '\u001B[31mx\u001B[39m';

test.for<readonly [isTTY: boolean, env: Record<string, string>, shown: string]>([
  [true, { TERM: 'xterm' }, red],
  [false, { TERM: 'xterm' }, 'x'],
  [true, { TERM: 'xterm', NO_COLOR: '1' }, 'x'],
  [true, { TERM: 'xterm', NO_COLOR: '' }, red],
  [true, { TERM: 'dumb' }, 'x'],
  [false, { FORCE_COLOR: '1' }, red],
  [true, { TERM: 'xterm', FORCE_COLOR: '0' }, 'x'],
  [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, red],
  [false, { TERM: 'xterm', CLICOLOR_FORCE: '1' }, red],
  [false, { TERM: 'xterm', CLICOLOR_FORCE: '0' }, 'x'],
])('a terminal (%j) with %j shows %j', ([isTTY, env, expected]) => {
  const { output: to, written } = output(isTTY, env);
  to.partial(styled('red', 'x'));
  expect(written()).toBe(expected);
});

/** Characters and sequences that no output may contain, each with a name. */
const hostile: Readonly<Record<string, string>> = {
  'a title': '\u001B]0;owned\u0007',
  'the clipboard': '\u001B]52;c;cm0gLXJmIH4=\u001B\\',
  'an unfinished sequence': '\u001B]0;owned',
  'a cleared screen': '\u001B[2J\u001B[H',
  'a C1 sequence': '\u009B2J\u009D0;owned\u009C',
  controls: Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join(''),
  'C1 controls': Array.from({ length: 33 }, (_, index) => String.fromCharCode(127 + index)).join(''),
  directions: '\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069',
  'no width': '\u200B\u2060\uFEFF\u180E\u{E0001}\u{E0041}',
  lines: 'a\rb\r\nc\u0085d\u2028e\u2029f\u000Bg',
  'lone surrogates': '\uD83E \uDD8A',
};
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

const methods: Readonly<Record<string, (to: Output, text: string) => void>> = {
  line: (to, text) => to.line(text),
  text: (to, text) => to.text(text),
  partial: (to, text) => to.partial(text),
  jsonLine: (to, text) => to.jsonLine(JSON.stringify(text)),
  'jsonLine of other text': (to, text) => to.jsonLine(text),
  json: (to, text) => to.json({ [text]: text }),
  'many texts': (to, text) => void to.all(Readable.from([text]), 'text'),
  'many lines of JSON': (to, text) => void to.all(Readable.from([text]), 'jsonLine'),
  'exact lines': (to, text) => void to.all(Readable.from([`${text}\n`]), 'exactLine'),
};

const ways: Readonly<Record<string, (text: string) => Printable>> = {
  plain: (text) => text,
  styled: (text) => styled('bold', text),
  'in parts': (text) => [styled('bold', 'a'), [text, styled('red', text)]],
  'a character at a time': (text) => text.split(''),
};

test.for(Object.keys(hostile).flatMap((name) => Object.keys(methods).map((method) => [name, method] as const)))(
  '%s cannot be printed with %s',
  async ([name, method]) => {
    const { output: to, written } = output(true, { NO_COLOR: '1' });
    methods[method]?.(to, `before ${hostile[name]} after`);
    await setImmediate();
    expect(written()).toContain('before');
    expect(unsafe.test(written().replaceAll('\n', ''))).toBe(false);
  },
);

test.for(Object.keys(hostile).flatMap((name) => Object.keys(ways).map((way) => [name, way] as const)))(
  '%s cannot be printed %s',
  ([name, way]) => {
    const { output: to, written } = output(true, { TERM: 'xterm' });
    to.line(ways[way]?.(hostile[name] ?? '') ?? '');
    const text = [1, 22, 31, 39].reduce((left, style) => left.replaceAll(`\u001B[${style}m`, ''), written().trimEnd());
    expect(unsafe.test(text)).toBe(false);
  },
);

test('a line is one line, and text ends with one line feed', () => {
  const { output: to, written } = output(false);
  to.line('a\nb\r\nc');
  to.text('d\ne');
  to.text('f\n');
  expect(written()).toBe('a b c\nd\ne\nf\n');
});

test('exact lines are unchanged in a pipe', async () => {
  const { output: to, written } = output(false);
  await to.all(Readable.from(['{"a":"\u202E"}\n', '{}\n']), 'exactLine');
  expect(written()).toBe('{"a":"\u202E"}\n{}\n');
});

test('many texts are written in few blocks, which wait for the reader', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  let made = 0;
  const texts = async function* () {
    for (; made < 10_000; made++) yield `text ${made}`;
  };
  const printed = outputOf(stream, {}).all(texts(), 'text');
  await setImmediate();
  expect([made > 1000, made < 10_000, stream.writableLength < 20_000]).toEqual([true, true, true]);
  const blocks = Array.fromAsync(stream, String);
  await printed;
  stream.end();
  expect((await blocks).join('')).toMatch(/^text 0\ntext 1\n[^]*text 9999\n$/);
});

async function* failing() {
  yield 'a';
  throw new Error('The disk was gone.');
}

test('what was made before a failure is printed', async () => {
  const { output: to, written } = output(false);
  await expect(to.all(failing(), 'text')).rejects.toThrow('The disk was gone.');
  expect(written()).toBe('a\n');
});

test('a dumb terminal is not redrawn', () => {
  const { output: to, written } = output(true, { TERM: 'dumb' });
  to.clearLines(1);
  expect([to.canRedraw, written()]).toEqual([false, '']);
});
