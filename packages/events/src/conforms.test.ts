import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { conforms } from './conforms.ts';
import { exampleEvents } from '../test/record-examples.ts';
import { builtinKinds } from './kinds/index.ts';

const examples = exampleEvents().map(([, event]) => JSON.parse(JSON.stringify(event)) as typeof event);
/** Schema of the own fields of each kind. */
const schemas = builtinKinds.map(({ kind, fields }) => ({
  kind,
  schema: z.strictObject(fields as z.ZodRawShape),
}));
const base = new Set(['id', 'timestamp', 'source', 'parent_id', 'kind']);
const ownFields = (event: object): object =>
  Object.fromEntries(Object.entries(event).filter(([name]) => !base.has(name)));

const otherValues = [null, 7, 1.5, 'text', '', true, [], {}, [null], { type: 'text' }, { type: 'text', text: 'x' }];

/** Returns the value with one change: another value, a removed value, or an additional field. */
function withChange(value: unknown, path: readonly number[], choice: number): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== 'object' || value === null)
    return otherValues[choice % otherValues.length];
  const entries = Object.entries(value);
  const at = step % (entries.length + 1);
  const [key, child] = entries[at] ?? ['invented', undefined];
  const next = rest.length === 0 && choice % 5 === 0 ? undefined : withChange(child, rest, choice);
  const all = new Map([...entries, [key, next] as const]);
  if (next === undefined) all.delete(key);
  return Array.isArray(value) ? [...all.values()] : Object.fromEntries(all);
}

describe.for(schemas)('$kind', ({ kind, schema }) => {
  const fits = conforms(schema);
  const events = examples.filter((event) => event.kind === kind).map(ownFields);

  test('written events conform, so they are not parsed again', () => {
    expect(events.map(fits)).toEqual(events.map(() => true));
  });

  test('only values that parsing returns unchanged conform', () => {
    const step = fc.nat(30);
    fc.assert(
      fc.property(fc.constantFrom(...events), fc.array(step, { maxLength: 4 }), fc.nat(100), (event, path, choice) => {
        const value = withChange(event, path, choice);
        const result = schema.safeParse(value);
        // Null counts as absent when read, even if the schema accepts it.
        const isSame = result.success && JSON.stringify(result.data) === JSON.stringify(value);
        return !fits(value) || isSame;
      }),
      { numRuns: 60 },
    );
  });
});

test.for<[string, z.ZodType, unknown]>([
  ['a default that parsing would add', z.strictObject({ a: z.string().default('x') }), {}],
  ['null for absence', z.strictObject({ a: z.exactOptional(z.unknown()) }), { a: null }],
  ['an unknown field', z.strictObject({ a: z.exactOptional(z.string()) }), { b: 'x' }],
  ['a field named __proto__', z.strictObject({}), JSON.parse('{"__proto__":1}')],
  ['a key named __proto__', z.record(z.string(), z.unknown()), JSON.parse('{"__proto__":1}')],
  ['an inherited field', z.strictObject({ constructor: z.unknown() }), {}],
  ['an array for an object', z.strictObject({}), []],
  ['text that would be trimmed', z.string().trim(), ' x'],
  ['text that would be changed by the first option', z.union([z.string().trim(), z.string()]), ' x'],
  ['text that breaks its pattern', z.string().regex(/^a$/), 'b'],
  ['text that is too short', z.string().min(2), 'a'],
  ['an invalid number', z.number().int(), 1.5],
  ['a rejected object', z.strictObject({ a: z.number() }).refine(({ a }) => a > 1), { a: 1 }],
  ['a loose object', z.looseObject({ a: z.string().trim() }), { a: ' x' }],
  ['too many items', z.array(z.string()).max(1), ['a', 'b']],
  ['another literal', z.literal(['a', 'b']), 'c'],
  ['another option', z.enum(['a', 'b']), 'c'],
])('%s does not conform', ([, schema, value]) => {
  expect(conforms(schema)(value)).toBe(false);
});

test.for<[string, z.ZodType, unknown]>([
  ['optional fields may be absent', z.strictObject({ a: z.exactOptional(z.string()) }), {}],
  ['a pattern that matches', z.string().regex(/^a$/), 'a'],
  ['text that is long enough', z.string().min(2), 'ab'],
  ['a whole number', z.number().int(), 1],
  ['a record', z.record(z.string(), z.number()), { a: 1, b: 2 }],
  ['an option of a discriminated union', z.discriminatedUnion('t', [z.strictObject({ t: z.literal(1) })]), { t: 1 }],
])('%s: conforms', ([, schema, value]) => {
  expect(conforms(schema)(value)).toBe(true);
});

test('a global pattern, which has state, is checked by parsing', () => {
  const fits = conforms(z.string().regex(/a/g));
  expect([fits('a'), fits('a')]).toEqual([true, true]);
});
