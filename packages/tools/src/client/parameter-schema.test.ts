import { expect, test } from 'vitest';
import { parameterSchema } from './parameter-schema.ts';

test.for<[Readonly<Record<string, unknown>>, boolean]>([
  [{ type: 'object' }, true],
  [{ type: 'object', properties: {} }, false],
  [{ type: 'object', properties: { a: {} } }, false],
  [{ type: 'object', properties: { a: {} }, additionalProperties: true }, true],
  [{ type: 'object', anyOf: [{ type: 'object', properties: { b: { type: 'string' } } }] }, true],
])('the parameters %j accept others: %j', ([schema, isOpen]) => {
  expect(parameterSchema('t', schema).safeParse({ b: 'x' }).success).toBe(isOpen);
});
