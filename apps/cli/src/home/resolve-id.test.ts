import { memoryStore } from '@varve/storage';
import { expect, test } from 'vitest';
import { resolveId } from './resolve-id.ts';

const hex = '5a356f9f48604c019d8e0f8d5f3b0a11';

test.for([
  ['large-refactor', 'large-refactor'],
  ['large', 'large-refactor'],
  [hex, hex],
  ['5A356F9F-4860-4C01-9D8E-0F8D5F3B0A11', hex],
  ['5a356f9f-4860', hex],
  ['5a35', hex],
  ['deadbeef-notes', 'deadbeef-notes'],
  ['deadbeef-n', 'deadbeef-notes'],
])('%s leads to the conversation %s', async ([typed = '', id]) => {
  const store = memoryStore();
  for (const stored of ['large-refactor', hex, 'deadbeef-notes']) {
    await (await store.create(stored, {}))[Symbol.asyncDispose]();
  }
  expect(await resolveId(store, typed)).toBe(id);
});

test('characters of two conversations are refused', async () => {
  const store = memoryStore();
  for (const id of ['task-1', 'task-2']) await (await store.create(id, {}))[Symbol.asyncDispose]();
  await expect(resolveId(store, 'task')).rejects.toThrow('"task" matches 2 conversations');
});
