import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { builtinKinds } from '../src/kinds/index.ts';
import * as payloads from '../src/payloads/index.ts';

/** OpenAPI description of the reference's server, which is not part of this repository. */
const file = ['../../../../', '../../../../../']
  .map((up) => new URL(`${up}shared/fixtures/agent-server-openapi-1.43.1.json`, import.meta.url))
  .find((url) => existsSync(url));

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly default?: unknown }>>;
  readonly required?: readonly string[];
}

const schemas = file
  ? (JSON.parse(readFileSync(file, 'utf8')) as { components: { schemas: Record<string, ObjectSchema> } }).components
      .schemas
  : {};

/** Schemas of the events and payloads of the reference. */
const records = Object.entries(schemas).filter(
  ([name, { properties }]) =>
    properties?.['kind'] && /(Action|Observation|Event|Condensation|CondensationRequest)$/.test(name),
);
/** Kinds that are not in logs: an abstract class of the browser tools, and events of terminals. */
const notInLogs = new Set(['BrowserAction', 'BashEvent']);

/** The reference generates a random key for an update without one, so the default cannot be compared. */
const generated = 'ConversationStateUpdateEvent';

const shapes: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map<
  string,
  Readonly<Record<string, unknown>>
>([
  ...builtinKinds.map((kind) => [kind.kind, kind.fields] as const),
  ...Object.values(payloads).flatMap((one) =>
    typeof one === 'object' && 'create' in one ? [[one.kind, one.fields.shape] as const] : [],
  ),
]);

const base = new Set(['id', 'timestamp', 'source', 'parent_id', 'kind']);
const fieldsOf = ({ properties = {} }: ObjectSchema): readonly string[] =>
  Object.keys(properties).filter((field) => !base.has(field));
const inLogs = records.filter(([name]) => !notInLogs.has(name));

describe.runIf(inLogs.length > 0)('the interface description', () => {
  test.for(inLogs)('%s has the fields of the reference in its order', ([name, schema]) => {
    expect(Object.keys(shapes.get(name) ?? {})).toEqual(fieldsOf(schema));
  });

  const withDefaults = inLogs.filter(([name]) => name !== generated);
  test.for(withDefaults)(
    '%s requires no field that is optional in the reference, and has its defaults',
    ([name, schema]) => {
      const shape = shapes.get(name) ?? {};
      const withoutAny = fieldsOf(schema).flatMap((field) => {
        if (schema.required?.includes(field)) return [];
        const own = z.object({ field: shape[field] as z.ZodType }).safeParse({});
        const fallback = schema.properties?.[field]?.default ?? own.data?.field;
        return [{ field, own: own.data, theirs: fallback === undefined ? {} : { field: fallback } }];
      });
      expect(withoutAny.map(({ field, own }) => ({ field, own }))).toEqual(
        withoutAny.map(({ field, theirs: own }) => ({ field, own })),
      );
    },
  );
});

test('names of events and payloads are unique', () => {
  expect(shapes.size).toBeGreaterThan(60);
});
