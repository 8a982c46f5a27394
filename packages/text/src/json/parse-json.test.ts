import { expect, test } from 'vitest';
import { modelJsonLimits, parseJson } from './parse-json.ts';

test('text that is not JSON has no value', () => {
  expect(parseJson('{"a":[1]}')).toEqual({ a: [1] });
  expect(parseJson('null')).toBeNull();
  for (const text of [undefined, '', '{', 'undefined']) expect(parseJson(text)).toBeUndefined();
});

test('JSON of a model is parsed within limits', () => {
  const texts = [`${'['.repeat(1000)}${']'.repeat(1000)}`, `[${'1,'.repeat(200_000)}1]`];
  expect(texts.map((text) => parseJson(text) !== undefined)).toEqual([true, true]);
  expect(texts.map((text) => parseJson(text, modelJsonLimits))).toEqual([undefined, undefined]);
});
