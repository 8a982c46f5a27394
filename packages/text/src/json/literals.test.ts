import { expect, test } from 'vitest';
import { literalReader, type LiteralSyntax } from './literals.ts';

const python: LiteralSyntax = {
  quotes: ["'''", "'", '"'].map((sign) => ({ open: sign, close: sign, escapes: 'python' })),
  keySign: ':',
  words: { True: true },
  limits: { depth: 3, values: 5 },
};

test.for<[string, string]>([
  [String.raw`'a\x41\u00e9\U0001f600\'\0'`, "aAé😀'\0"],
  [String.raw`"s/\d\.5/"`, String.raw`s/\d\.5/`],
  ["'''it's \"a\"'''", 'it\'s "a"'],
  ['"a\\\nb"', 'ab'],
])('%s is a text of Python', ([written, value]) => {
  expect(literalReader(written, python).value(0)).toEqual({ value, end: written.length });
});

test.for([
  [String.raw`"s/\(a\)/\1/"`, 'more than one meaning at character 10'],
  [String.raw`"\012"`, 'more than one meaning'],
  [String.raw`"\x4"`, 'more than one meaning'],
  [String.raw`"\N{DASH}"`, 'more than one meaning'],
  [String.raw`"\d\n"`, 'more than one meaning at character 4'],
  ['"a', 'the text ends at character 3'],
  ['[[[[1]]]]', 'more than 3 levels'],
  ['[1, 1, 1, 1, 1]', 'more than 5 values'],
])('%s is not read: %s', ([written = '', problem = '']) => {
  const reader = literalReader(written, python);
  expect(reader.value(0)).toBeUndefined();
  expect(reader.problem()).toContain(problem);
});

test('pairs up to a sign are fields', () => {
  const written = 'a=1, b={"c": True})';
  const reader = literalReader(written, python);
  expect(reader.fields(0, ')', '=')).toEqual({ value: { a: 1, b: { c: true } }, end: written.length });
});
