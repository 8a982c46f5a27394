import { expect, test } from 'vitest';
import { alternativesOf, mapSubschemas, narrowSchema, resolveSchema, typesOf } from './json-schema.ts';

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
