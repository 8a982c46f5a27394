import fc from 'fast-check';
import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { globMatcher, splitGlob } from './glob-matcher.ts';

test.for([
  ['*.ts', ['a.ts', '.ts.ts'], ['a.tsx', 'a/b.ts']],
  ['src/**/*.ts', ['src/a.ts', 'src/x/y/a.ts'], ['src/.x/a.ts', 'a.ts', 'src/a.js']],
  ['**/test', ['test', 'a/b/test'], ['a/test/b']],
  ['a/**', ['a/b', 'a/b/c'], ['b', 'a/.b', 'a/b/.c']],
  ['a**b', ['ab', 'axb'], ['a/b']],
  ['{a,b{c,d}}/x?', ['a/x1', 'bc/xx', 'bd/x.'], ['b/x1', 'a/x', 'a/x12']],
  ['{src,test}/**/*.{ts,js}', ['src/a.ts', 'test/b/c.js'], ['lib/a.ts', 'src/a.css']],
  ['{**/,}a', ['a', 'x/y/a'], ['b']],
  ['[a-c]x', ['ax', 'cx'], ['dx', '/x']],
  ['[!a-c]x', ['dx'], ['ax', '.x']],
  ['[]x]', [']', 'x'], ['y']],
  ['[ab', ['[ab'], ['a']],
  ['app/(group)/{id}.ts', ['app/(group)/{id}.ts'], ['app/group/id.ts']],
  ['a\\*b', ['a*b'], ['axb']],
  ['!*.ts', ['a.js'], ['a.ts']],
  ['ä?', ['äö', 'ä😀'], ['ä']],
] as const)('%s', ([pattern, matching, others]) => {
  const { matches } = globMatcher(pattern, { dot: pattern === '*.ts' });
  expect([matching.filter((path) => !matches(path)), others.filter((path) => matches(path))]).toEqual([[], []]);
});

test.for([
  ['src/*.ts', ['src/a.ts', 'src/a.ts/b'], ['src', 'src/a.tsx/b.ts', 'x/src/a.ts']],
  ['**/docs', ['docs', 'docs/a', 'x/docs/a/b'], ['doc', 'docs2/a']],
  ['a/**', ['a/b', 'a/b/c'], ['a', 'b/a/c']],
  ['!a', ['b', 'b/a'], ['a', 'a/b']],
] as const)('%s covers what is below a matching directory', ([pattern, covered, others]) => {
  const { covers } = globMatcher(pattern, { dot: true });
  expect([covered.filter((path) => !covers(path)), others.filter((path) => covers(path))]).toEqual([[], []]);
});

test.for([
  ['src/**/*.ts', 'src', '**/*.ts'],
  ['a/b', 'a/b', ''],
  ['*.ts', '', '*.ts'],
  ['/*', '/', '*'],
  ['/', '/', ''],
  ['~/x/{a,b}/c', '~/x', '{a,b}/c'],
  ['a/(b)/[c]/d', 'a/(b)', '[c]/d'],
] as const)('%s is split before its first wildcard', ([pattern, base, glob]) => {
  expect(splitGlob(pattern)).toEqual({ base, glob });
});

const name = fc.array(fc.constantFrom('a', 'b', '.', '*', '?', '[ab]', '{a,b*}'), { minLength: 1, maxLength: 5 });
const pattern = fc
  .array(
    fc.oneof(
      name.map((parts) => parts.join('').replaceAll(/\*+/g, '*')),
      fc.constant('**'),
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((names) => names.join('/'))
  // picomatch also matches the directory itself, and treats names of dots as directories.
  .filter((glob) => !glob.endsWith('/**') && !glob.split('/').some((part) => /^[.*?]*$/.test(part) && part !== '*'));
const path = fc
  .array(fc.stringMatching(/^[ab][ab.]{0,3}$/), { minLength: 1, maxLength: 4 })
  .map((names) => names.join('/'));

test('simple patterns match as with picomatch', () => {
  fc.assert(
    fc.property(pattern, path, (glob, file) => {
      expect([glob, file, globMatcher(glob, { dot: true }).matches(file)]).toEqual([
        glob,
        file,
        picomatch(glob, { dot: true })(file),
      ]);
    }),
    { numRuns: 500 },
  );
});

// With a regular expression each of these takes longer than a test may.
test.for([
  ['*a'.repeat(30) + 'b', 'a'.repeat(64)],
  ['**/'.repeat(30) + 'b', 'a/'.repeat(60) + 'a'],
  ['{a,aa}'.repeat(80) + 'b', 'a'.repeat(120)],
  ['{'.repeat(400) + ','.repeat(100) + '}'.repeat(400), 'a'.repeat(200)],
  ['?*'.repeat(100), 'a'.repeat(99)],
  ['['.repeat(900), 'a'.repeat(200)],
] as const)('a hostile pattern ends: %#', ([glob, file]) => {
  expect(globMatcher(glob, { dot: false }).matches(file)).toBe(false);
});
