import { expect, test } from 'vitest';
import { shellWord } from './shell-word.ts';

test.for([
  ['docs', 'docs'],
  ['/srv/a-b_c', '/srv/a-b_c'],
  ['', "''"],
  ['a=b', "'a=b'"],
  ['my docs', "'my docs'"],
  ["it's $HOME", `'it'\\''s $HOME'`],
] as const)('%j is the word %s of a shell', ([value, word]) => {
  expect(shellWord(value)).toBe(word);
});
