import { expect, test } from 'vitest';
import { matchesGlob } from './path-glob.ts';

test.for([
  ['*.ts', 'src/deep/main.ts', true],
  ['*.ts', 'src/main.tsx', false],
  ['src/*.ts', 'src/main.ts', true],
  ['src/*.ts', 'src/deep/main.ts', false],
  ['src/**/*.ts', 'src/main.ts', true],
  ['src/**/*.ts', 'src/a/b/main.ts', true],
  ['/src/main.ts', 'src/main.ts', true],
  ['/main.ts', 'src/main.ts', false],
  ['docs/', 'docs/guide/a.md', true],
  ['docs', 'other/docs/a.md', true],
  ['src/**/*.{ts,tsx}', 'src/a/b.tsx', true],
  ['{src,test}/*.{ts,js}', 'test/a.js', true],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', false],
  ['**', 'anything/at/all', true],
  ['', 'a', false],
  ['README.md', 'readme.md', false],
] as const)('%j and %j: %s', ([pattern, path, expected]) => {
  expect(matchesGlob(pattern, path)).toBe(expected);
});

test('hostile patterns take no long time', () => {
  const name = 'a'.repeat(300);
  expect(matchesGlob(`${'*a'.repeat(100)}b`, name)).toBe(false);
  expect(matchesGlob(`${'**/a/'.repeat(50)}b`, `${'a/'.repeat(100)}c`)).toBe(false);
  expect(matchesGlob('{a,b}'.repeat(40), name)).toBe(false);
  expect(matchesGlob('{'.repeat(5000), name)).toBe(false);
});

test.for(['a/'.repeat(2000), `src/${'a/'.repeat(2000)}x`, 'a'.repeat(4000), 'a'.repeat(200_000), '{'.repeat(100_000)])(
  'a pattern matches in time proportional to the path',
  (path) => {
    expect(matchesGlob('{**/a/**/b,src/**/*.ts,*a*a*a*b}', path)).toBe(false);
  },
);
