import { expect, test } from 'vitest';
import { otherThanNames, indexNames } from './index-names.ts';

test('reads names, types and renamed names of an index', () => {
  const index = "/** All. */\nexport { a, type B, c as d } from './a.ts';\nexport type { E } from './e.ts';\n";
  expect(indexNames(index).map(({ name, local, isType }) => [name, local, isType])).toEqual([
    ['a', 'a', false],
    ['B', 'B', true],
    ['d', 'c', false],
    ['E', 'E', true],
  ]);
  expect(otherThanNames(index)).toBe('');
});

test.for(["export * from './a.ts';", 'export default 1;', "import './a.ts';", 'export const a = 1;'])(
  '%s has no place in an index',
  (line) => {
    expect(otherThanNames(`export { b } from './b.ts';\n${line}\n`)).toBe(line);
  },
);
