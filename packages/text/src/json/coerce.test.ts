import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coerceFields, coerceText } from './coerce.ts';

const root = {
  type: 'object',
  $defs: { size: { type: 'integer' } },
  properties: {
    list: { type: 'array' },
    map: { type: 'object' },
    count: { type: 'integer' },
    size: { $ref: '#/$defs/size' },
    sure: { type: 'boolean' },
    text: { type: 'string' },
    either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    nested: { anyOf: [{ type: ['null', 'integer'] }, { anyOf: [{ type: 'boolean' }] }] },
  },
};

test.for<[Record<string, unknown>, Record<string, unknown>]>([
  [{ list: '["a"]' }, { list: ['a'] }],
  [{ map: '{"a": 1}' }, { map: { a: 1 } }],
  [{ count: ' 12 ' }, { count: 12 }],
  [{ size: '-3' }, { size: -3 }],
  [{ sure: 'True' }, { sure: true }],
  [{ nested: 'false' }, { nested: false }],
  [{ text: ['a', 'b'] }, { text: ['a', 'b'] }],
  [{ text: ['a'] }, { text: 'a' }],
  [{ text: [] }, { text: [] }],
  [
    { text: '[1]', either: '5' },
    { text: '[1]', either: '5' },
  ],
  [
    { count: '1.5', list: '{}', map: '[', sure: 'yes' },
    { count: '1.5', list: '{}', map: '[', sure: 'yes' },
  ],
  [{ other: '5' }, { other: '5' }],
])('the fields %j become %j', ([fields, fitted]) => {
  expect(coerceFields(fields, { root })).toEqual(fitted);
});

test('lists and objects are read as models write them', () => {
  expect(coerceFields({ map: "{'a': 1}" }, { root })).toEqual({ map: { a: 1 } });
  expect(coerceText(written("['a']"), root.properties.list, { root })).toEqual({ value: ['a'] });
});

const written = (text: string, isLiteral = false) => ({ text, isLiteral });

test.for<[string, unknown, unknown]>([
  [' a ', { type: 'string' }, ' a '],
  [' a ', { type: 'string', enum: ['a', 'b'] }, 'a'],
  ['+5', { type: 'integer' }, 5],
  ['1.0', { type: 'integer' }, 1],
  ['.5e1', { type: 'number' }, 5],
  ['yes', { type: 'boolean' }, true],
  ['None', { type: 'null' }, null],
  ['7', { type: 'array', items: { type: 'integer' } }, [7]],
  ['7', { type: ['string', 'integer'] }, 7],
  ['seven', { type: ['string', 'integer'] }, 'seven'],
  ['[1]', {}, [1]],
  ['1', {}, 1],
  ['true', {}, true],
  ['1.0', {}, '1.0'],
  ['12345678901234567890', {}, '12345678901234567890'],
  ['"a"', {}, '"a"'],
  ['2', { enum: [1, 2] }, 2],
])('%j as %j is %j', ([text, schema, value]) => {
  expect(coerceText(written(text), schema, { root })).toEqual({ value });
});

test('what cannot be read is described', () => {
  expect(coerceText(written('x'), { type: ['integer', 'boolean'] }, { root })).toEqual({
    expected: 'an integer or true or false',
  });
  expect(coerceText(written('{"a"'), { type: 'array' }, { root })).toEqual({ expected: 'a JSON list' });
  for (const [text, type] of [
    ['12345678901234567890', 'number'],
    ['[12345678901234567890]', 'array'],
  ] as const) {
    expect(coerceText(written(text), { type }, { root })).toHaveProperty('expected');
  }
});

test('text that is marked as text is not JSON where a string is allowed', () => {
  expect(coerceText(written('7', true), { type: ['string', 'integer'] }, { root })).toEqual({ value: '7' });
  expect(coerceText(written('[7]', true), {}, { root })).toEqual({ value: '[7]' });
});

test('a value written as JSON has its value, whatever its type', () => {
  const values = fc.oneof(
    fc.boolean(),
    fc.integer(),
    fc.array(fc.jsonValue()),
    fc.dictionary(fc.string(), fc.jsonValue()),
  );
  fc.assert(
    fc.property(values, (value) => {
      const type = Array.isArray(value) ? 'array' : typeof value === 'number' ? 'integer' : typeof value;
      const json = JSON.stringify(value);
      const expected: unknown = JSON.parse(json);
      expect(coerceText(written(json), { type }, { root })).toEqual({ value: expected });
      expect(coerceFields({ a: json }, { root: { properties: { a: { type } } } })).toEqual({ a: expected });
    }),
  );
});
