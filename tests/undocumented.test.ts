import { expect, test } from 'vitest';
import { undocumented } from './undocumented.ts';

test('an exported name without a docstring is reported', () => {
  expect(
    undocumented('/** Documented. */\nexport const a = 1;\n\nexport interface B {}\n// no\nexport function c() {}\n'),
  ).toEqual(['B', 'c']);
});

test('a type derived from a documented name needs no docstring', () => {
  const source = 'const codes = {} as const;\nexport type Code = keyof typeof codes;\n';
  expect(undocumented(`/** The codes. */\n${source}`)).toEqual([]);
  expect(undocumented(source)).toEqual(['Code']);
});

test('further overloads need no docstring', () => {
  expect(undocumented('/** Adds. */\nexport function add(a: 1): 1;\nexport function add(a: 2): 2;\n')).toEqual([]);
});
