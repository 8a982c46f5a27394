import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Conversation, defineAgent } from '@varve/agent';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { expect, test } from 'vitest';

const agent = defineAgent({ model: scriptedModel([]), tools: () => [] });
const workspace = process.cwd();
const uuid = '5A356F9F-4860-4c01-9d8e-0f8d5f3b0a11';
const hex = '5a356f9f48604c019d8e0f8d5f3b0a11';

test.for([
  ['large-refactor', 'large-refactor'],
  [uuid, hex],
  [hex, hex],
])(
  'a conversation with the id %s is stored as %s, and opened by the id that was given',
  async ([sentId = '', stored]) => {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'varve ids '));
    await using store = await directoryStore({ path: directory.path });
    {
      await using conversation = await Conversation.create({ agent, store, workspace, id: sentId });
      expect(conversation.id).toBe(stored);
    }
    expect((await store.list()).items.map(({ id }) => id)).toEqual([stored]);
    await using opened = await Conversation.open({ agent, store, id: sentId });
    expect(opened.id).toBe(stored);
    await using fork = await opened.fork({ id: `${sentId}-2` });
    expect(fork.id).toBe(`${sentId}-2`);
  },
);

test('a conversation that an earlier program stored under a UUID with hyphens is opened by it', async () => {
  const store = memoryStore();
  await (await store.create(uuid, {}))[Symbol.asyncDispose]();
  await using opened = await Conversation.open({ agent, store, id: uuid, workspace });
  expect(opened.id).toBe(uuid);
});
