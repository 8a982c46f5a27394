import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { schemaLevels } from './dialect.ts';
import { toolSchema } from './tool-schema.ts';

const shell = (property: object): Readonly<Record<string, unknown>> => ({
  type: 'object',
  properties: { p: property },
});

/** What a property becomes at the levels plain, google and flat. */
const rows: readonly (readonly [title: string, given: object, plain: object, google: object, flat: object])[] = [
  ['a bare type', { type: 'string' }, { type: 'string' }, { type: 'string' }, { type: 'string' }],
  [
    'limits that mean any integer',
    { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: 9 },
    { type: 'integer', maximum: 9 },
    { type: 'integer', maximum: 9 },
    { type: 'integer' },
  ],
  [
    'a nullable type',
    { type: ['string', 'null'], pattern: '^x' },
    { type: ['string', 'null'], pattern: '^x' },
    { type: 'string', nullable: true },
    { type: 'string' },
  ],
  [
    'several types',
    { type: ['string', 'integer', 'null'] },
    { type: ['string', 'integer', 'null'] },
    { anyOf: [{ type: 'string' }, { type: 'integer' }], nullable: true },
    { description: 'One of the types string, integer.' },
  ],
  ['one value', { const: 'a' }, { const: 'a' }, { type: 'string', enum: ['a'] }, { type: 'string', enum: ['a'] }],
  [
    'choices that are no texts',
    { type: 'integer', enum: [1, 2], description: 'How many.' },
    { type: 'integer', enum: [1, 2], description: 'How many.' },
    { type: 'integer', description: 'How many. One of [1,2].' },
    { type: 'integer', description: 'How many. One of [1,2].' },
  ],
  [
    'variants',
    { anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] },
    { anyOf: [{ type: 'string', format: 'uri' }, { type: 'null' }] },
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    { type: 'string' },
  ],
  [
    'several variants',
    { oneOf: [{ const: 'a' }, { type: 'integer' }], description: 'Where.' },
    { oneOf: [{ const: 'a' }, { type: 'integer' }], description: 'Where.' },
    { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'integer' }], description: 'Where.' },
    { description: 'Where. Any of [{"const":"a"},{"type":"integer"}].' },
  ],
  [
    'a property named like a keyword',
    { type: 'object', properties: { $schema: { type: 'string' }, pattern: { type: 'string' } } },
    { type: 'object', properties: { $schema: { type: 'string' }, pattern: { type: 'string' } } },
    { type: 'object', properties: { $schema: { type: 'string' }, pattern: { type: 'string' } } },
    { type: 'object', properties: { $schema: { type: 'string' }, pattern: { type: 'string' } } },
  ],
];

describe.for(rows)('%s', ([, schema, ...expected]) => {
  test.for((['plain', 'google', 'flat'] as const).map((level, index) => [level, expected[index]] as const))(
    'is written at level %s',
    ([level, property]) => expect(toolSchema(shell(schema), level)).toEqual(shell(property ?? {})),
  );
});

const tuple = [{ type: 'number' }, { type: 'number' }];
const ordered = 'Items in this order: [{"type":"number"},{"type":"number"}].';

test.for<[string, object, object]>([
  ['a list of anything', { type: 'array' }, { type: 'array', items: {} }],
  ['a tuple', { type: 'array', items: tuple }, { type: 'array', items: { type: 'number' }, description: ordered }],
  [
    'a tuple in new spelling',
    { type: ['array', 'null'], prefixItems: tuple, items: false },
    { type: ['array', 'null'], items: { type: 'number' }, description: ordered },
  ],
  ['a list', { type: 'array', items: { type: 'string' } }, { type: 'array', items: { type: 'string' } }],
])('%s has one schema for its items', ([, property, plain]) => {
  expect(toolSchema(shell(property), 'plain')).toEqual(shell(plain));
});

test('at the last level every parameter is a scalar, and others are described', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      points: { type: 'array', description: 'Corners.', items: tuple },
      any: {},
      maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    },
    required: ['name'],
    anyOf: [{ required: ['points'] }],
  };
  expect(toolSchema(schema, 'texts')).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string' },
      points: {
        type: 'string',
        description: `Corners. ${ordered} JSON of {"type":"array","items":{"type":"number"}}.`,
      },
      any: { type: 'string', description: 'JSON of {}.' },
      maybe: { type: 'integer' },
    },
    required: ['name'],
  });
});

test('a schema at level full is unchanged', () => {
  const schema = { $schema: 'x', type: 'object' };
  expect(toolSchema(schema, 'full')).toBe(schema);
});

test('the root is always an object with properties', () => {
  expect(toolSchema({}, 'plain')).toEqual({ type: 'object', properties: {} });
  expect(toolSchema({ type: 'object', anyOf: [{ required: ['a'] }] }, 'flat')).toEqual({
    type: 'object',
    properties: {},
    required: ['a'],
  });
});

test('references are resolved, and recursive ones end', () => {
  const tree = { type: 'object', properties: { next: { $ref: '#/$defs/tree' }, name: { type: 'string' } } };
  const schema = {
    type: 'object',
    properties: { root: { $ref: '#/$defs/tree', description: 'The root.' } },
    $defs: { tree },
  };
  expect(toolSchema(schema, 'plain')).toEqual({
    type: 'object',
    properties: {
      root: {
        type: 'object',
        description: 'The root.',
        properties: { next: { type: 'object' }, name: { type: 'string' } },
      },
    },
  });
  expect(toolSchema({ properties: { self: { $ref: '#' } } }, 'plain')).toEqual({
    type: 'object',
    properties: { self: { properties: { self: { type: 'object' } } } },
  });
});

test('definitions that refer to each other stay short', () => {
  const names = Array.from({ length: 12 }, (_, index) => `type${index}`);
  const references = names.map((name) => [name, { $ref: `#/$defs/${name}` }] as const);
  const node = { type: 'object', properties: Object.fromEntries(references) };
  const $defs = { ...Object.fromEntries(names.map((name) => [name, node])), word: { type: 'string', minLength: 1 } };
  const properties = { ...node.properties, last: { $ref: '#/$defs/word', description: 'A word.' } };
  const written = toolSchema({ type: 'object', properties, $defs }, 'plain');
  expect(JSON.stringify(written).length).toBeLessThan(200_000);
  expect(written['properties']).toHaveProperty('last', { type: 'string', description: 'A word.' });
});

test('an unknown reference is any value', () => {
  expect(toolSchema(shell({ $ref: '#/$defs/gone' }), 'plain')).toEqual(shell({}));
});

const date = { type: 'string', description: 'A date.' };
const definitions = { 'a b': date, 'a/b': date, a: { $defs: { b: date } }, c: { $anchor: 'day', ...date }, d: true };

test.for<[string, object]>([
  ['#/properties/from', date],
  ['#/$defs/a/$defs/b', date],
  ['#/$defs/a%20b', date],
  ['#/$defs/a~1b', date],
  ['#/properties/either/anyOf/0', date],
  ['#day', { $anchor: 'day', ...date }],
  ['#/$defs/d', {}],
])('the reference %s is what it leads to', ([$ref, expected]) => {
  const properties = { from: date, either: { anyOf: [date, { type: 'null' }] }, to: { $ref } };
  expect(toolSchema({ properties, $defs: definitions }, 'plain')['properties']).toMatchObject({ to: expected });
  expect(Object.keys(Object(toolSchema({ properties, $defs: definitions }, 'plain')['properties']))).toHaveLength(3);
});

test('conditions next to a reference add to those of its target, and descriptions replace them', () => {
  const target = { type: 'object', properties: { a: date } };
  const of = (beside: object) =>
    toolSchema({ ...shell({ $ref: '#/$defs/t', ...beside }), $defs: { t: target } }, 'plain');
  expect(of({ description: 'x' })).toEqual(shell({ ...target, description: 'x' }));
  const more = { properties: { b: date }, unevaluatedProperties: false };
  expect(of(more)).toEqual(shell({ ...more, allOf: [target] }));
});

const allowed = new Set(['type', 'description', 'properties', 'required', 'items', 'enum']);

function keywords(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [];
  const { properties = {}, items, ...rest } = schema as Readonly<Record<string, unknown>>;
  return [...Object.keys(rest), ...Object.values(properties as object).flatMap(keywords), ...keywords(items)];
}

const schemas = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.record({ type: fc.constantFrom('string', 'integer', ['string', 'null']), format: fc.constant('uri') }),
    fc.record({ enum: fc.array(fc.oneof(fc.string(), fc.integer()), { minLength: 1 }) }),
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat() }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.string(), tie('schema')),
      default: fc.object(),
    }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.constantFrom({ $ref: '#' }, { $ref: '#/$defs/a' }, { $ref: 'https://elsewhere.test' }),
  ),
})).schema;

test('a flat schema has its keywords only, and each level keeps the names of the properties', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), schemas), (properties) => {
      const schema = { type: 'object', properties, $defs: { a: { $ref: '#' } } };
      const flat = toolSchema(schema, 'flat');
      expect(keywords(flat).filter((key) => !allowed.has(key))).toEqual([]);
      for (const level of schemaLevels) {
        expect(Object.keys(toolSchema(schema, level)['properties'] as object)).toEqual(Object.keys(properties));
      }
    }),
    { numRuns: 200 },
  );
});
