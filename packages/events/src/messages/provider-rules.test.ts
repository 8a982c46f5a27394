import { expect, test } from 'vitest';
import { isObjectJson } from './provider-rules.ts';

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
  expect(isObjectJson(json)).toBe(isSent);
});
