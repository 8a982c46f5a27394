import { expect, test } from 'vitest';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { exportBundle, importBundle } from '@varve/storage/maintenance';
import { finish } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';

test('forks, children and copies have the owner of their conversation, and an import of another person has none', async () => {
  await using store = memoryStore();
  const agent = defineAgent({ model: scriptedModel([]), tools: () => [finish()] });
  const [id, child, fork] = ['a'.repeat(32), 'b'.repeat(32), 'c'.repeat(32)];
  await using origin = await Conversation.create({ agent, store, workspace: process.cwd(), id, owner: 'alice' });
  for (const copy of [await origin.child({ id: child }), await origin.fork({ id: fork })])
    await copy[Symbol.asyncDispose]();
  const owners = await Promise.all([id, child, fork].map(async (each) => (await store.summary(each)).owner));
  expect(owners).toEqual(['alice', 'alice', 'alice']);

  const bundle = async () => exportBundle(await store.read(id), await store.summary(id));
  await using copies = memoryStore();
  await importBundle(await bundle(), copies);
  expect((await copies.summary(id)).owner).toBe('alice');
  await using imports = memoryStore();
  await Conversation.import(await bundle(), { store: imports });
  expect((await imports.summary(id)).owner).toBeUndefined();
});
