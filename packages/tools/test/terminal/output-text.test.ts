import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ControlStripper } from '../../src/terminal/output/control-stripper.ts';
import { MarkerStream, type Piece } from '../../src/terminal/session/marker-stream.ts';
import { ScreenText } from '../../src/terminal/output/screen-text.ts';

const nonce = '0011223344556677';
const marker = (body: string, of = nonce): string => `\u001B]697;D;${of};${body}\u0007`;

/** Splits bytes at the given offsets. */
const cutAt = (bytes: Buffer, places: readonly number[]): readonly Buffer[] => {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
};

/** Returns pieces as text, with adjacent output joined. */
const joined = (pieces: readonly Piece[]): readonly unknown[] => {
  const result: unknown[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (piece.kind === 'marker') result.push([piece.id, piece.exitCode, piece.directory]);
    else if (typeof last === 'string') result.splice(-1, 1, last + piece.bytes.toString('latin1'));
    else result.push(piece.bytes.toString('latin1'));
  }
  return result;
};

const pushAll = (chunks: readonly Buffer[]): readonly unknown[] => {
  const stream = new MarkerStream(nonce);
  const pieces = chunks.flatMap((chunk) => stream.push(chunk));
  const rest = stream.end();
  return joined(rest.length > 0 ? [...pieces, { kind: 'output', bytes: rest }] : pieces);
};

test('a marker ends the output before it and contains number, exit code and directory', () => {
  const bytes = Buffer.from(`out${marker('3;130;/a%0Ab%25')}more`);
  expect(pushAll([bytes])).toEqual(['out', [3, 130, '/a\nb%'], 'more']);
});

test('markers of other sessions, malformed and incomplete markers are output', () => {
  const foreign = `${marker('1;0;/', 'ffffffffffffffff')}${marker('x;0;/')}`;
  expect(pushAll([Buffer.from(foreign)])).toEqual([foreign]);
  const open = `text\u001B]697;D;${nonce};1;0`;
  expect(pushAll([Buffer.from(open)])).toEqual([open]);
  const endless = `\u001B]697;D;${nonce};${'x'.repeat(40_000)}`;
  expect(pushAll([Buffer.from(endless)])).toEqual([endless]);
});

test('the pieces do not depend on how the bytes are split', () => {
  const bytes = Buffer.from(`a\u001B]697${marker('1;0;/tmp')}\u001B[1mb${marker('2;1;/x y')}\u001B]697;D;00112`);
  const whole = pushAll([bytes]);
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 8 }), (places) => {
      expect(pushAll(cutAt(bytes, places))).toEqual(whole);
    }),
  );
});

const strip = (...chunks: readonly string[]): string => {
  const stripper = new ControlStripper();
  return chunks.map((chunk) => stripper.push(chunk)).join('');
};

test.for([
  ['colours', '\u001B[1;31mred\u001B[0m', 'red'],
  ['a title', '\u001B]0;title\u0007text', 'text'],
  ['a link', '\u001B]8;;http://x\u001B\\link\u001B]8;;\u001B\\', 'link'],
  ['a device string', '\u001BP$q"p\u001B\\x', 'x'],
  ['short sequences', '\u001B(B\u001B=\u001B7x\u001BM', 'x'],
  ['bells and stray escapes', 'a\u0007b\u001B\u001B[Kc', 'abc'],
  ['a null character, which is marked', 'a\u0000b', 'a\uFFFDb'],
] as const)('%s are removed', ([, text, left]) => {
  expect(strip(text)).toBe(left);
});

test('tab, line feed, carriage return and backspace stay', () => {
  expect(strip('a\tb\r\nc\b')).toBe('a\tb\r\nc\b');
});

test('the result does not depend on where a sequence is split', () => {
  const text = '\u001B[38;5;196mred\u001B[0m \u001B]0;title\u001B\\é\u001BP1$r\u001B\\😀\u001B(B end';
  for (let at = 0; at <= text.length; at += 1) expect(strip(text.slice(0, at), text.slice(at))).toBe(strip(text));
});

test('an endless sequence does not hold text forever', () => {
  expect(strip(`\u001B]0;${'x'.repeat(5000)}`, 'after')).toContain('after');
});

test('terminal queries are answered once', () => {
  const answers: string[] = [];
  const stripper = new ControlStripper((answer) => answers.push(answer));
  stripper.push('\u001B[6');
  stripper.push('n\u001B[c\u001B[31m');
  expect(answers).toEqual(['\u001B[1;1R', '\u001B[?1;2c']);
});

const screen = (...chunks: readonly string[]): string => {
  const text = new ScreenText();
  return chunks.map((chunk) => text.push(chunk)).join('') + text.takeLine();
};

test.for([
  ['CRLF is one line end', 'a\r\nb\r\r\n', 'a\nb\n'],
  ['the last state of a progress line is shown', '1%\r50%\r100%\n', '100%\n'],
  ['a line followed by a carriage return only is kept', 'abc\r', 'abc'],
  ['backspaces remove characters', 'abc\b\bX\n', 'aX\n'],
  ['overstruck bold text is plain', 'N\bNA\bA\n', 'NA\n'],
] as const)('%s', ([, text, left]) => {
  expect(screen(text)).toBe(left);
  for (let at = 0; at <= text.length; at += 1) expect(screen(text.slice(0, at), text.slice(at))).toBe(left);
});

test('an endless line is returned in parts', () => {
  const text = new ScreenText();
  let length = 0;
  for (let index = 0; index < 100; index += 1) length += text.push('x'.repeat(4096)).length;
  expect(length).toBeGreaterThan(300_000);
});
