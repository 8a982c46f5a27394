import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { eventCodec } from '../src/index.ts';
import { builtinKinds } from '../src/kinds/index.ts';
import { exampleEvents, examplePayloads, recordExamples } from './record-examples.ts';

const codec = eventCodec(builtinKinds);

describe.for(exampleEvents())('%s', ([name, event]) => {
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

test.for(examplePayloads())('%s is written as in its golden file', async ([kind, payload]) => {
  await expect(`${JSON.stringify(payload)}\n`).toMatchFileSnapshot(`golden/records/${kind}.json`);
});

test('every golden file has a definition', () => {
  const names = new Set(recordExamples().map(([name]) => `${name}.json`));
  expect(readdirSync(new URL('golden/records/', import.meta.url)).filter((file) => !names.has(file))).toEqual([]);
});
