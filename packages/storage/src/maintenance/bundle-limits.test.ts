import { createHash } from 'node:crypto';
import { memoryStore } from '@varve/storage';
import { importBundle } from '@varve/storage/maintenance';
import { expect, test } from 'vitest';

const id = 'c';

/** Bundle with these header and event fields, and a checksum that matches. */
async function* bundleWith({ meta = '{}', fields = '', text = '{}' }): AsyncGenerator<string> {
  const header = `{"format":"varve-bundle","version":1,"id":"${id}","createdAt":1,"updatedAt":1,"meta":${meta}}\n`;
  const event = `{"seq":0,"id":"a","kind":"MessageEvent","text":${JSON.stringify(text)}${fields}}\n`;
  const sha256 = createHash('sha256').update(header).update(event).digest('hex');
  yield `${header}${event}{"end":1,"sha256":"${sha256}"}\n`;
}

const list = (item: string, count: number): string => `[${`${item},`.repeat(count)}0]`;
const nested = (open: string, close: string, count: number): string => open.repeat(count) + 0 + close.repeat(count);

/** Ways of making a parsed value large with few characters: of many values, and nested. */
const shapes = [
  ...['[]', '{}', '0', '""', '[[]]', '{"a":0}', '"\\""'].map(
    (item) => [item, list(item, 1_000_001), 'of over'] as const,
  ),
  ...[
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
    ['[0,', ']'],
  ].map(([open = '', close = '']) => [open, nested(open, close, 1001), 'nested deeper than'] as const),
];

test.for(shapes)('a line that is larger once parsed is refused, wherever %s is repeated', async ([, json, message]) => {
  const store = memoryStore();
  for (const bundle of [
    { meta: json },
    { fields: `,"more":${json}` },
    { fields: `,"statements":${json}` },
    { fields: `,"parent_id":${json}` },
  ]) {
    const importing = importBundle(bundleWith(bundle), store);
    await expect(importing).rejects.toMatchObject({ code: 'corrupt', message: expect.stringContaining(message) });
  }
  expect((await store.list()).items).toEqual([]);
});

test('an event of too many values is refused, and one with as many characters is not', async () => {
  const store = memoryStore();
  const importing = importBundle(bundleWith({ text: list('[]', 2_500_001) }), store);
  await expect(importing).rejects.toMatchObject({
    code: 'corrupt',
    message: 'The bundle has over 5000000 values in event 0.',
  });
  await importBundle(bundleWith({ text: JSON.stringify({ id: 'a', note: '[],'.repeat(2_500_001) }) }), store);
  expect((await store.summary(id)).head).toBe(1);
});
