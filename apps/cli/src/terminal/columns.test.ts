import { expect, test } from 'vitest';
import { columnsOf, fitted, padded } from './columns.ts';

test.for([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['漢字漢字', 8, '漢字漢字'],
  ['漢字漢字', 7, '漢字漢…'],
  ['漢字漢字', 6, '漢字…'],
  ['👩‍👩‍👧 family', 5, '👩‍👩‍👧 f…'],
  ['e\u0301e\u0301e\u0301', 3, 'e\u0301e\u0301e\u0301'],
  ['a\n\u001b[2J  b', 9, 'a b'],
] as const)('%j fits into %i columns as %j', ([text, columns, expected]) => {
  expect(fitted(text, columns)).toBe(expected);
  expect(columnsOf(fitted(text, columns))).toBeLessThanOrEqual(columns);
});

test('a padded text has the number of columns', () => {
  expect([padded('漢', 4), padded('abc', 2)]).toEqual(['漢  ', 'abc']);
});
