import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { builtinKinds } from '../src/kinds/index.ts';
import { definedPayloads } from './definitions.ts';

/** Fields of a record of the reference. */
interface ReferenceRecord {
  /** Names in order, without those that all events have. */
  readonly fields: readonly string[];
  readonly required?: readonly string[];
  readonly defaults?: Readonly<Record<string, unknown>>;
}

/**
 * Events and payloads that logs contain.
 *
 * @see agent-server 1.43.1, components of its OpenAPI description
 */
const records = Object.entries(
  JSON.parse(readFileSync(new URL('fixtures/reference-records.json', import.meta.url), 'utf8')) as Record<
    string,
    ReferenceRecord
  >,
);

/** The reference generates a random key for an update without one, so the default cannot be compared. */
const generated = 'ConversationStateUpdateEvent';

const shapes: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map<
  string,
  Readonly<Record<string, unknown>>
>([
  ...builtinKinds.map((kind) => [kind.kind, kind.fields] as const),
  ...definedPayloads.map((definition) => [definition.kind, definition.fields.shape] as const),
]);

test.for(records)('%s has the fields of the reference in its order', ([name, { fields }]) => {
  expect(Object.keys(shapes.get(name) ?? {})).toEqual(fields);
});

test.for(records.filter(([name]) => name !== generated))(
  '%s requires no field that is optional in the reference, and has its defaults',
  ([name, { fields, required = [], defaults = {} }]) => {
    const shape = shapes.get(name) ?? {};
    const withoutAny = fields.flatMap((field) => {
      if (required.includes(field)) return [];
      const result = z.object({ field: shape[field] as z.ZodType }).safeParse({});
      const fallback = defaults[field] ?? result.data?.field;
      return [{ field, result: result.data, theirs: fallback === undefined ? {} : { field: fallback } }];
    });
    expect(withoutAny.map(({ field, result }) => ({ field, result }))).toEqual(
      withoutAny.map(({ field, theirs: result }) => ({ field, result })),
    );
  },
);

test('names of events and payloads are unique', () => {
  expect(shapes.size).toBeGreaterThan(60);
});
