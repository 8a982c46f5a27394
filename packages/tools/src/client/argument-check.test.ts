import type { JsonSchema } from '@varve/text';
import { expect, test } from 'vitest';
import { argumentCheck } from './argument-check.ts';

const text = { type: 'string' };
const parsed = (json: string): JsonSchema => JSON.parse(json) as JsonSchema;
const fits = (schema: JsonSchema, input: unknown): boolean => {
  try {
    return argumentCheck('t', { ...schema, type: 'object' })(input) === input;
  } catch {
    return false;
  }
};

/** Schemas with inputs that fit, and with some that do not. */
const cases: Readonly<Record<string, readonly [JsonSchema, readonly unknown[], readonly unknown[]]>> = {
  'nothing is described': [{}, [{}, { a: 1 }], [[], null, 'a']],
  'a field is not described': [{ properties: { a: text } }, [{ b: 1 }], [{ a: 1 }]],
  'other fields are refused': [{ properties: { a: text }, additionalProperties: false }, [{ a: 'x' }], [{ b: 1 }]],
  'a default does not fit': [{ properties: { a: { type: 'integer', default: null } } }, [{}, { a: 1 }], [{ a: null }]],
  'one of two fields is required': [
    { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    [{ a: 1 }, { b: 1 }],
    [{}, { a: 1, b: 1 }],
  ],
  'a value is a list': [
    { properties: { a: { enum: [[0, 1], { b: 1 }] } } },
    [{ a: [0, 1] }, { a: { b: 1 } }],
    [{ a: [1] }],
  ],
  'a constant is an object': [{ properties: { a: { const: { b: [1] } } } }, [{ a: { b: [1] } }], [{ a: {} }]],
  'names are those of objects': [
    { properties: { constructor: text, toString: text }, required: ['valueOf'] },
    [{ valueOf: 1 }],
    [{}, { valueOf: 1, toString: 1 }],
  ],
  'a format is an annotation': [{ properties: { a: { type: 'string', format: 'date' } } }, [{ a: '' }], [{ a: 1 }]],
  'a reference leads to a property': [
    { properties: { a: text, b: { $ref: '#/properties/a' } } },
    [{ b: 'x' }],
    [{ b: 1 }],
  ],
  'a reference is encoded': [
    { $defs: { 'a/b %': text }, properties: { a: { $ref: '#/$defs/a~1b%20%25' } } },
    [{ a: 'x' }],
    [{ a: 1 }],
  ],
  'a reference is an anchor': [
    { $defs: { a: { $anchor: 'x', ...text } }, properties: { a: { $ref: '#x' } } },
    [{ a: 'x' }],
    [{ a: 1 }],
  ],
  'a reference leads elsewhere': [{ properties: { a: { $ref: 'https://elsewhere/a' } } }, [{ a: 1 }], []],
  'a reference depends on its users': [{ properties: { a: { $dynamicRef: '#a' } } }, [{ a: 1 }], []],
  'a schema is recursive': [
    { properties: { a: { $ref: '#' } }, additionalProperties: false },
    [{ a: { a: {} } }],
    [{ a: { b: 1 } }],
  ],
  'a condition applies': [
    parsed('{"if": {"required": ["a"]}, "then": {"required": ["b"]}}'),
    [{}, { a: 1, b: 1 }],
    [{ a: 1 }],
  ],
  'a tuple is described': [
    { properties: { a: { prefixItems: [text, { type: 'number' }] } } },
    [{ a: ['x', 1] }],
    [{ a: [1] }],
  ],
  'a pattern is invalid': [{ properties: { a: { pattern: '(' } } }, [{ a: 'x' }], []],
};

test.for(Object.keys(cases))('arguments are checked, and stay unchanged, where %s', (name) => {
  const [schema, right, wrong] = cases[name] ?? [{}, [], []];
  const before = JSON.stringify(schema);
  expect(right.filter((input) => !fits(schema, input))).toEqual([]);
  expect(wrong.filter((input) => fits(schema, input))).toEqual([]);
  expect(JSON.stringify(schema)).toBe(before);
});

test('a problem names the field and the reason', () => {
  const check = argumentCheck('t', {
    type: 'object',
    properties: { a: { items: { type: 'integer', minimum: 5 } }, 'b/c': { enum: ['x'] } },
    required: ['d'],
  });
  expect(() => check({ a: ['swordfish', 4.5], 'b/c': 'y' })).toThrow(
    'The arguments of t are not valid. Instance does not have required property "d"; a.0: Instance type "string" is invalid. Expected "integer"; a.1: Instance type "number" is invalid. Expected "integer"; a.1: it is less than 5; b/c: Instance does not match any of ["x"].',
  );
});
