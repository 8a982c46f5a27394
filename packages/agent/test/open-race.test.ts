import { expect, test } from 'vitest';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { wrapStore } from '@varve/storage/kit';
import { finish } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const record: ScriptedTurn = { calls: [{ name: 'record', arguments: { text: 'a' } }] };
const agentWith = (steps: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}) =>
  defineAgent({ model: scriptedModel(steps), tools: () => [countingTool().tool(), finish()], ...options });

/** Wraps a store so that `before` runs at the last moment before a lease is taken. */
function overtaken(store: EventStore, before: () => Promise<void>): EventStore {
  let isFirst = true;
  return wrapStore(store, {
    async open(...args) {
      if (isFirst) {
        isFirst = false;
        await before();
      }
      return store.open(...args);
    },
  });
}

test('changes by another process just before the lease was taken count: policy, title, client tools', async () => {
  const disk = memoryStore();
  const first = await Conversation.create({ agent: agentWith([]), store: disk, workspace: process.cwd() });
  const { id } = first;
  await first.send('Go.');
  await first[Symbol.asyncDispose]();
  const store = overtaken(disk, async () => {
    const agent = agentWith([], { confirmation: alwaysConfirm() });
    const clientTools = [{ name: 'show', description: 'Shows.', parameters: { type: 'object' } }];
    await using other = await Conversation.open({ agent, store: disk, id, clientTools });
    await other.rename('Another name');
  });
  await using conversation = await Conversation.open({ agent: agentWith([record]), store, id });
  expect(conversation.request().tools.map(({ name }) => name)).toContain('show');
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  expect((await disk.summary(id)).meta).toMatchObject({ title: 'Another name', client_tools: [{ name: 'show' }] });
});
