import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { eventCodec, type BaseEvent } from '../src/index.ts';
import { builtinKinds } from '../src/kinds/index.ts';
import { definedFacts, definedPayloads } from './definitions.ts';
import { exampleOf, exampleOfFields, payloadFields } from './example-of.ts';
import { eventExamples } from './examples.ts';

const codec = eventCodec(builtinKinds);
const stamp = { id: '00000000-0000-4000-8000-000000000004', timestamp: '2026-02-03T04:05:04.000007' };

/** An event of every built-in kind and of every fact, by the name of its golden file. */
const events: readonly (readonly [string, BaseEvent])[] = [
  ...builtinKinds.map((one): [string, BaseEvent] => [
    one.kind,
    eventExamples[one.kind] ?? one.create({ source: 'environment', ...exampleOfFields(one.fields) } as never, stamp),
  ]),
  ...definedFacts.map((one): [string, BaseEvent] => [
    one.key,
    eventExamples[one.key] ?? one.create(exampleOf(one.schema), stamp),
  ]),
];
const payloads = definedPayloads.map((one) => [one.kind, one.create(payloadFields(one) as never)] as const);

const folder = new URL('golden/records/', import.meta.url);

describe.for(events)('%s', ([name, event]) => {
  test('is written as in its golden file', async () => {
    await expect(`${codec.encode(event)}\n`).toMatchFileSnapshot(`golden/records/${name}.json`);
  });

  test('reads back unchanged', () => {
    const text = codec.encode(event);
    const read = codec.decode(text);
    expect(read).toEqual(event);
    expect(codec.encode(read)).toBe(text);
  });
});

test.for(payloads)('%s is written as in its golden file', async ([kind, payload]) => {
  await expect(`${JSON.stringify(payload)}\n`).toMatchFileSnapshot(`golden/records/${kind}.json`);
});

test('every golden file has a definition', () => {
  const names = new Set([...events, ...payloads].map(([name]) => `${name}.json`));
  expect(readdirSync(folder).filter((file) => !names.has(file))).toEqual([]);
});
