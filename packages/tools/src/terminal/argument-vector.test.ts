import { expect, test } from 'vitest';
import { quoteWords } from './argument-vector.ts';

test.for<[readonly unknown[], unknown]>([
  [['bash', '-lc', 'touch a'], `bash -lc 'touch a'`],
  [['echo', `it's`, '$HOME', ''], String.raw`echo 'it'\''s' '$HOME' ''`],
  [['ls -la'], ['ls -la']],
  [
    ['a', 1],
    ['a', 1],
  ],
  [[], []],
])('the command %j becomes %j', ([command, expected]) => {
  expect(quoteWords({ command, timeout: 3 })).toEqual({ command: expected, timeout: 3 });
});

test('text stays as it is', () => {
  expect(quoteWords({ command: 'a b' })).toEqual({ command: 'a b' });
});
