import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnsOf } from './columns.ts';
import { WrappedText } from './wrapped-text.ts';

function rowsOf(pieces: readonly string[], columns: number): readonly string[] {
  const text = new WrappedText(() => columns);
  const rows = pieces.flatMap((piece) => text.push(piece));
  return [...rows, ...text.end()];
}

test('rows end between words, whatever the pieces are', () => {
  const text = 'The function subtracts instead of adding, so the test fails.';
  const whole = rowsOf([text], 24);
  expect(whole).toEqual(['The function subtracts', 'instead of adding, so', 'the test fails.']);
  expect(rowsOf(text.split(''), 24).join(' ')).toBe(text);
});

test('rows that continue an item of a list are indented as its text is', () => {
  expect(rowsOf(['- one two three\n  10. four five six'], 12)).toEqual([
    '- one two',
    '  three',
    '  10. four',
    '      five',
    '      six',
  ]);
});

const part = fc.constantFrom(
  'a',
  'word',
  'x'.repeat(30),
  '汉',
  '汉字',
  'é',
  '😀',
  ' ',
  '   ',
  '\t',
  '\n',
  '-',
  '\u00A0',
);

test('the rows are the same however the pieces arrive', () => {
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 30 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 12 })),
      (parts, sizes) => {
        const [characters, pieces] = [Array.from(parts.join('')), [] as string[]];
        while (characters.length > 0) pieces.push(characters.splice(0, sizes.next().value).join(''));
        expect(rowsOf(pieces, 12)).toEqual(rowsOf([parts.join('')], 12));
      },
    ),
    { numRuns: 500 },
  );
});

test('a returned row never changes, and what is not complete is the rest', () => {
  const text = new WrappedText(() => 12);
  expect(text.push('one two ')).toEqual([]);
  expect(text.rest).toBe('one two ');
  expect(text.push('three four\nfive')).toEqual(['one two', 'three four']);
  expect(text.rest).toBe('five');
});

test.for(['a'.repeat(50), '汉字'.repeat(20), `  indented ${'word '.repeat(12)}`])(
  'no row is wider than the terminal: %s',
  (text) => {
    const rows = rowsOf([text], 20);
    expect(rows.length).toBeGreaterThan(2);
    for (const row of rows) expect(columnsOf(row)).toBeLessThanOrEqual(20);
  },
);

test('rows that continue an indented line are indented', () => {
  expect(rowsOf(['  one two three\nfour'], 12)).toEqual(['  one two', '  three', 'four']);
});

test('characters that change a terminal never reach it', () => {
  expect(rowsOf(['a\u001B[2Jb'], 40).join('')).not.toContain('\u001B');
});
