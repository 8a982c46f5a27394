import { expect, test } from 'vitest';
import * as z from 'zod';
import { scriptedModel, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { aroundAppends } from '../src/testing/around-appends.ts';

const agentOf = (steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}) =>
  defineAgent({ model: scriptedModel(steps), tools: () => [finish()], ...options });

test('when a run fails because its results cannot be stored, the runs of its children end', async () => {
  const full = { isOn: false };
  const store = aroundAppends(memoryStore(), async (append) => {
    if (full.isOn) throw new Error('full');
    return append();
  });
  const hangs = Promise.withResolvers<void>();
  const hanging: ScriptedStep = () => {
    hangs.resolve();
    return { fault: { kind: 'hang', afterPieces: 0 } };
  };
  const ends: unknown[] = [];
  const delegate = defineTool({
    name: 'delegate',
    description: 'Delegates work.',
    input: z.object({}),
    effect: 'write',
    resources: () => [],
    execute: async () => {
      const child = await parent.child({ agent: agentOf([hanging]) });
      await child.send('Help.');
      await child.run().catch((error: unknown) => ends.push(error));
      return 'Done.';
    },
  });
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: z.object({}),
    effect: 'read',
    resources: () => [],
    execute: async () => {
      await hangs.promise;
      full.isOn = true;
      return 'Nothing there.';
    },
  });
  const both = {
    calls: [
      { name: 'delegate', arguments: {} },
      { name: 'look', arguments: {} },
    ],
  };
  const agent = agentOf([both], { tools: () => [delegate, look, finish()], concurrency: 2 });
  const parent = await Conversation.create({ agent, store, workspace: process.cwd() });
  await parent.send('Go.');
  await expect(parent.run()).rejects.toThrow('full');
  // Its usage cannot be reported either.
  await expect.poll(() => ends).toMatchObject([{ message: 'full' }]);
});

test('a conversation is closed, and reports the cause, also when a child cannot be closed', async () => {
  const store = memoryStore();
  const parent = await Conversation.create({ agent: agentOf([]), store, workspace: process.cwd() });
  const broken = { ...finish(), close: () => Promise.reject(new Error('It cannot be closed.')) };
  await parent.child({ agent: agentOf([], { tools: () => [broken] }) });
  await expect(parent[Symbol.asyncDispose]()).rejects.toThrow('It cannot be closed.');
  for (const { id } of (await store.list()).items) await (await store.open(id))[Symbol.asyncDispose]();
});

test('creating a child while its parent closes is rejected as closed, and no lease stays open', async () => {
  const store = memoryStore();
  const parent = await Conversation.create({ agent: agentOf([]), store, workspace: process.cwd() });
  const making = parent.child().catch((error: unknown) => error);
  await parent[Symbol.asyncDispose]();
  expect(await making).toMatchObject({ name: 'AgentError', code: 'closed' });
  for (const { id } of (await store.list()).items) await (await store.open(id))[Symbol.asyncDispose]();
});
