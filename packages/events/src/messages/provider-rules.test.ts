import { expect, test } from 'vitest';
import { areLegalArguments, isObjectJson, unparsedArguments } from './provider-rules.ts';

test.for<[string, boolean]>([
  ['{}', true],
  ['{"a":[{"b":1}]}', true],
  ['[]', false],
  ['{"a":', false],
  [`{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, true],
  [`{"a":"${'x'.repeat(3_900_000)}"}`, true],
  [`{"a":"${'x'.repeat(4_000_000)}"}`, false],
  [`{"a":[${'{},'.repeat(5_000_000)}1]}`, false],
])('arguments are sent as they are only if they are an object of a limited length, %#', ([json, isSent]) => {
  expect(areLegalArguments(json)).toBe(isSent);
});

test('arguments that are too long to tell are legal in the form in which they are sent', () => {
  const sent = JSON.stringify({ [unparsedArguments]: `{"a":[${'{},'.repeat(1_500_000)}1]}` });
  expect(isObjectJson(sent)).toBe(true);
});
