import { expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { diffPositions, readPosition } from './log-position.ts';

test('positions of a log whose events name no parents are compared', async () => {
  await using store = memoryStore();
  await using log = await store.create('0123456789abcdef0123456789abcdef', {});
  const events = ['one', 'two', 'three'].map((content, at) => {
    const id = `0000000${at}`;
    const message = { role: 'user', content: [{ type: 'text', text: content }] };
    const record = {
      id,
      timestamp: '2026-01-01T00:00:00.000000',
      source: 'user',
      llm_message: message,
      kind: 'MessageEvent',
    };
    return { id, kind: 'MessageEvent', parentId: undefined, text: JSON.stringify(record) };
  });
  await log.append(events);
  const [early, late] = [await readPosition(log, 1), await readPosition(log)];
  expect([early.events.length, late.events.length]).toEqual([1, 3]);
  expect(diffPositions(early, late).events).toHaveLength(2);
});
