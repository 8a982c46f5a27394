import { expect, test } from 'vitest';
import {
  additionalProperties,
  allowsNull,
  alternativesOf,
  mapSubschemas,
  narrowSchema,
  propertiesOf,
  resolveSchema,
  typesOf,
  type JsonSchema,
} from './json-schema.ts';

const root = {
  $defs: {
    loop: { $ref: '#/$defs/loop' },
    tree: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/tree' }, { type: 'string' }] },
    'a/b': { type: 'boolean' },
  },
};

test('references are followed within the root; an unknown or endless one allows any value', () => {
  expect(resolveSchema({ $ref: '#/$defs/a~1b' }, root)).toEqual({ type: 'boolean' });
  for (const $ref of ['#/$defs/loop', '#/$defs/missing', 'https://example.org']) {
    expect(resolveSchema({ $ref }, root)).toEqual({});
  }
});

test('alternatives are those of variants, or one per type', () => {
  expect(alternativesOf({ type: ['string', 'null'], title: 'a' }, root)).toEqual([
    { type: 'string', title: 'a' },
    { type: 'null', title: 'a' },
  ]);
  expect(alternativesOf({ oneOf: [{ $ref: '#/$defs/a~1b' }] }, root)).toEqual([{ type: 'boolean' }]);
});

test('types are those of all variants, also of a schema that is its own variant', () => {
  expect(typesOf({ $ref: '#/$defs/tree' }, root)).toEqual(['null', 'string']);
  expect(typesOf({}, root)).toEqual([]);
});

test('only schemas are changed: names of properties and literal values are not', () => {
  const schema = {
    properties: { default: { type: 'a' }, enum: { type: 'b' } },
    items: { type: 'c' },
    anyOf: [{ type: 'd' }],
    additionalProperties: false,
    default: { type: 'e' },
    enum: [{ type: 'f' }],
  };
  expect(mapSubschemas(schema, ({ type }) => ({ kind: type }))).toEqual({
    ...schema,
    properties: { default: { kind: 'a' }, enum: { kind: 'b' } },
    items: { kind: 'c' },
    anyOf: [{ kind: 'd' }],
  });
});

test('a narrowed schema has the given keywords at each level, after a change at each level', () => {
  const schema = { $id: 'x', properties: { $id: { const: 1, $id: 'y' } } };
  const narrowed = narrowSchema(schema, new Set(['properties', 'enum']), ({ const: only, ...rest }) =>
    only === undefined ? rest : { ...rest, enum: [only] },
  );
  expect(narrowed).toEqual({ properties: { $id: { enum: [1] } } });
});

const union = {
  type: 'object',
  properties: { kind: { type: 'string' } },
  anyOf: [
    { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    { $ref: '#/$defs/named' },
    { allOf: [{ properties: { id: { type: 'string' } } }] },
  ],
  $defs: { named: { properties: { name: { type: 'string' }, kind: {} } } },
};

test('an object has the properties of its variants', () => {
  expect(propertiesOf(union)).toEqual({
    kind: { type: 'string' },
    id: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    name: { type: 'string' },
  });
  const endless = { anyOf: [{ $ref: '#' }, { properties: { a: {} } }] };
  expect(propertiesOf(endless)).toEqual({ a: {} });
});

test.for<[JsonSchema, unknown]>([
  [{ type: 'object' }, {}],
  [{ properties: { a: {} } }, undefined],
  [{ properties: {} }, undefined],
  [{ properties: { a: {} }, additionalProperties: true }, {}],
  [{ properties: {}, additionalProperties: { type: 'string' } }, { type: 'string' }],
  [{ properties: {}, additionalProperties: false }, undefined],
  [{ patternProperties: { x: { type: 'null' } }, additionalProperties: false }, { type: 'null' }],
])('other properties of %j fit %j', ([schema, expected]) => {
  expect(additionalProperties(schema)).toEqual(expected);
});

test.for<[JsonSchema, boolean]>([
  [{}, true],
  [{ type: 'string' }, false],
  [{ type: ['string', 'null'] }, true],
  [{ type: ['string', 'null'], enum: ['a'] }, false],
  [{ enum: ['a', null] }, true],
  [{ const: null }, true],
  [{ type: 'string', nullable: true }, true],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, true],
  [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, false],
  [{ allOf: [{ type: ['string', 'null'] }, { type: 'string' }] }, false],
])('null fits %j: %j', ([schema, expected]) => {
  expect(allowsNull(schema, schema)).toBe(expected);
});
