import type { JsonSchema } from '@varve/text';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ToolError } from '../contract/error.ts';
import { argumentCheck } from '../client/argument-check.ts';
import { checkableSchema } from './checkable-schema.ts';

const references = ['#/$defs/a', '#/$defs/b', '#/properties/a', '#', '#/missing'];

/** Schemas with references to each other, of any number of levels. */
const { schema: anySchema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<JsonSchema>({ type: 'string', pattern: '^(a+)+$' }, { type: 'integer' }, {}),
    fc.constantFrom(...references).map(($ref) => ({ $ref })),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom('a', 'pattern'), tie('schema')),
    }),
  ),
}));

const toolSchema = fc.record({
  type: fc.constant('object'),
  properties: fc.record({ a: anySchema }),
  $defs: fc.record({ a: anySchema, b: anySchema }),
});

/** A reference may lead nowhere. */
function fits(schema: JsonSchema, value: unknown): boolean {
  try {
    return argumentCheck('t', schema)({ a: value }) !== undefined;
  } catch (error) {
    if (error instanceof ToolError) return false;
    throw error;
  }
}

const longText = `${'a'.repeat(50)}!`;
const values = [longText, [longText], { a: longText, pattern: longText }, [[[{ a: [longText] }]]], 1];

test('a check with any schema of a server ends', { timeout: 20_000 }, () => {
  fc.assert(
    fc.property(toolSchema, fc.constantFrom(...values), (schema, value) => {
      const checkable = checkableSchema(schema);
      fc.pre(checkable !== undefined);
      expect(JSON.stringify(checkable?.schema)).not.toContain('^(a+)+$');
      expect(() => fits(checkable?.schema ?? {}, value)).not.toThrow(RangeError);
    }),
    { numRuns: 100 },
  );
});

const levels = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, level) => {
      const next = level === count - 1 ? { type: 'null' } : { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, { anyOf: [next, next] }];
    }),
  );
const doubling = (count: number) => ({
  type: 'object',
  properties: { a: { $ref: '#/$defs/d0' } },
  $defs: levels(count),
});

test('references are counted as often as they are followed', () => {
  expect(checkableSchema(doubling(8))?.size).toBeGreaterThan(500);
  expect([12, 20, 40, 1000].map((count) => checkableSchema(doubling(count)))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('an ordinary schema is checkable, with properties of any name', () => {
  const name = { type: 'string', pattern: '^[a-z]+$', description: 'A name.' };
  const schema = {
    type: 'object',
    properties: { pattern: name, list: { type: 'array', items: { $ref: '#/$defs/item' } } },
    required: ['pattern'],
    $defs: { item: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
  };
  const { pattern: _, ...plain } = name;
  expect(checkableSchema(schema)?.schema).toEqual({ ...schema, properties: { ...schema.properties, pattern: plain } });
});
