import { expect, test } from 'vitest';
import { parsedJson } from './parsed-json.ts';

test('JSON of a model is parsed within limits', () => {
  expect(parsedJson('{"a":[1]}')).toEqual({ a: [1] });
  for (const text of [undefined, '', '{', `${'['.repeat(1000)}${']'.repeat(1000)}`, `[${'1,'.repeat(200_000)}1]`]) {
    expect(parsedJson(text)).toBeUndefined();
  }
});
