import { defineAgent, type Agent } from '@varve/agent';
import { scriptedModel, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, think } from '@varve/tools';
import { expect, test } from 'vitest';
import { createHost } from './host.ts';

function agentWith(...turns: readonly ScriptedStep[]): Agent {
  return defineAgent({ model: scriptedModel(turns), tools: () => [think(), finish()] });
}

test('conversations are opened with the agent of their name, by another host too', async () => {
  await using store = memoryStore();
  const ids: string[] = [];
  {
    await using host = createHost({ store, agents: { one: agentWith({ text: 'I am one.' }), two: agentWith() } });
    for (const agent of ['one', 'two']) ids.push(await host.create({ agent, workspace: '/' }));
    await host.send(ids[0] ?? '', 'Who are you?');
    await host.use(ids[0] ?? '', async ({ runs }) => runs.idle());
  }
  const agents = { one: agentWith(), two: async () => agentWith({ text: 'I am two.' }) };
  await using host = createHost({ store, agents });
  const answer = await host.use(ids[1] ?? '', async (hosted) => {
    await hosted.send('Who are you?');
    return (await hosted.run()).text;
  });
  expect(answer).toBe('I am two.');
  const status = await host.use(ids[0] ?? '', async ({ conversation }) => conversation.state.status);
  expect(status).toBe('finished');
});

test('a run that a host left is continued with its agent', async () => {
  await using store = memoryStore();
  const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: ScriptedStep = () => {
    asked.resolve();
    return { calls: [{ name: 'think', arguments: { thought: 'Hm.' } }], gate: gate.promise };
  };
  const abandoned: string[] = [];
  const abandon = async (id: string): Promise<void> => void abandoned.push(id);
  const first = createHost({ store, agents: { support: agentWith(slow) }, abandon });
  const id = await first.create({ agent: 'support', workspace: '/' });
  await first.send(id, 'Help.');
  await asked.promise;
  const closed = first.close(new AbortController().signal);
  gate.resolve();
  await closed;
  expect(abandoned).toEqual([id]);
  await using second = createHost({ store, agents: { support: agentWith({ text: 'Helped.' }) } });
  await second.recover();
  await second.use(id, async ({ runs, conversation }) => {
    await runs.idle();
    expect(conversation.state.status).toBe('finished');
  });
});

test('a name without an agent is refused, and an id that exists changes nothing', async () => {
  await using store = memoryStore();
  await using host = createHost({ store, agents: { support: agentWith() } });
  await expect(host.create({ agent: 'sales', workspace: '/' })).rejects.toMatchObject({ code: 'unknown-agent' });
  const id = await host.create({ agent: 'support', workspace: '/' });
  expect(await host.create({ agent: 'support', workspace: '/tmp', id })).toBe(id);
  expect(await host.use(id, async ({ conversation }) => conversation.workspace)).toBe('/');
});
