import { expect, test } from 'vitest';
import { argumentCheck } from '../client/argument-check.ts';
import { withoutPatterns } from './without-patterns.ts';

const slow = '^(a+)+$';
const text = { type: 'string', pattern: slow };
/** Long enough for days. */
const value = `${'a'.repeat(60)}!`;

/** Places of a regular expression in the parameters of a tool, each with arguments that reach it. */
const places: Readonly<Record<string, readonly [schema: Readonly<Record<string, unknown>>, input: unknown]>> = {
  'of a field': [{ properties: { a: text } }, { a: value }],
  'of a field that is called pattern': [{ properties: { pattern: text } }, { pattern: value }],
  'of items': [{ properties: { a: { type: 'array', items: text } } }, { a: [value] }],
  'of one of several': [{ properties: { a: { anyOf: [text, { type: 'number' }] } } }, { a: value }],
  'of all of several': [{ properties: { a: { allOf: [text, { minLength: 1 }] } } }, { a: value }],
  'of other fields': [{ additionalProperties: text }, { b: value }],
  'of names': [{ patternProperties: { [slow]: {} }, additionalProperties: false }, { [value]: 1 }],
  'of what is refused': [{ properties: { a: { not: { pattern: '^b' } } } }, { a: value }],
  'of one of two': [{ properties: { a: { oneOf: [text, { type: 'string', pattern: '^b' }] } } }, { a: value }],
  'of one of two definitions': [
    { $defs: { t: text, u: { type: 'string' } }, oneOf: [{ properties: { a: { $ref: '#/$defs/t' } } }, {}] },
    { a: value },
  ],
  'of a condition': [
    { if: { patternProperties: { '^a': text } }, else: false, unevaluatedProperties: false },
    { a: 1 },
  ],
  'of a limited number': [{ properties: { a: { contains: text, maxContains: 1 } } }, { a: [value, value] }],
  'of all names': [{ propertyNames: text, additionalProperties: true }, { [value]: 1 }],
  'of a definition': [{ $defs: { t: text }, properties: { a: { $ref: '#/$defs/t' } } }, { a: value }],
};

test.for(Object.keys(places))('a pattern %s is not run', (place) => {
  const [schema, input] = places[place] ?? [{}, {}];
  expect(argumentCheck('t', withoutPatterns({ ...schema, type: 'object' }))(input)).toBe(input);
});

test('everything else is checked', () => {
  const schema = { type: 'object', properties: { pattern: { enum: [{ pattern: 'x' }] }, n: { type: 'number' } } };
  expect(withoutPatterns(schema)).toEqual(schema);
});
