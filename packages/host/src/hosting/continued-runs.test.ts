import { defineAgent } from '@varve/agent';
import { scriptedModel, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore, StorageError, type EventLog, type EventStore } from '@varve/storage';
import { finish, think } from '@varve/tools';
import { expect, test } from 'vitest';
import { createHost } from './host.ts';

/** A store whose disk can be full. */
function limitedStore() {
  const store = memoryStore();
  const disk = { isFull: false, refused: 0 };
  const limited = (log: EventLog): EventLog => {
    const append: EventLog['append'] = log.append.bind(log);
    return Object.assign(log, {
      append: async (...parameters: Parameters<EventLog['append']>) => {
        disk.refused += Number(disk.isFull);
        if (disk.isFull) throw new StorageError('full', 'There is no space left.');
        return append(...parameters);
      },
    });
  };
  const create = store.create.bind(store);
  Object.assign(store, {
    create: async (...parameters: Parameters<EventStore['create']>) => limited(await create(...parameters)),
  });
  return { store, disk };
}

test('a run that a full disk ended continues when there is space, and the model is not asked before that', async () => {
  const { store, disk } = limitedStore();
  let ticks: (() => void)[] = [];
  const every = (_ms: number, tick: () => void): Disposable => {
    ticks.push(tick);
    return { [Symbol.dispose]: () => void (ticks = ticks.filter((each) => each !== tick)) };
  };
  const fills: ScriptedStep = () => {
    disk.isFull = true;
    return { calls: [{ name: 'think', arguments: { thought: 'Hm.' } }] };
  };
  const model = scriptedModel([fills, { text: 'Helped.' }]);
  const agents = { support: defineAgent({ model, tools: () => [think(), finish()] }) };
  const failures: unknown[] = [];
  const host = createHost({ store, agents, every, onFailure: (error) => failures.push(error) });
  await host.recover();
  const id = await host.create({ agent: 'support', workspace: '/' });
  await host.send(id, 'Help.');
  const state = () =>
    host.use(id, async ({ runs, conversation }) => {
      await runs.idle();
      return conversation.state.status;
    });
  expect(await state()).toBe('running');
  await expect(host.send(id, 'Help again.')).rejects.toMatchObject({ code: 'full' });
  const { refused } = disk;
  for (const tick of ticks) tick();
  await expect.poll(() => disk.refused).toBeGreaterThan(refused);
  expect([await state(), model.requests.length, failures.length]).toEqual(['running', 1, 1]);
  disk.isFull = false;
  await expect.poll(async () => (ticks.forEach((tick) => tick()), state())).toBe('finished');
  expect(model.requests.length).toBe(2);
  const facts = await Array.fromAsync((await store.read(id)).range(0), ({ text }) => text);
  expect(facts.filter((text) => text.includes('varve.host.continued'))).toHaveLength(1);
  await host.close(AbortSignal.abort());
  expect(ticks).toEqual([]);
});

const agentOf = (step: ScriptedStep) => defineAgent({ model: scriptedModel([step]), tools: () => [finish()] });

test.for([
  ['on a full disk', 'full', 1],
  ['before the lease of its process ended', 'held', 0],
] as const)('a run that a start %s left is continued later', async ([, code, reported]) => {
  const store = memoryStore();
  const asked = Promise.withResolvers<void>();
  const slow: ScriptedStep = () => {
    asked.resolve();
    return { fault: { kind: 'hang', afterPieces: 0 } };
  };
  const first = createHost({ store, agents: { support: agentOf(slow) } });
  const id = await first.create({ agent: 'support', workspace: '/' });
  await first.send(id, 'Help.');
  await asked.promise;
  await first.close(AbortSignal.abort());
  const open = store.open.bind(store);
  let isFull = true;
  let refused = 0;
  store.open = async (...parameters) => {
    refused += Number(isFull);
    if (isFull) throw new StorageError(code, 'It cannot be opened.');
    return open(...parameters);
  };
  const ticks: (() => void)[] = [];
  const every = (_ms: number, tick: () => void): Disposable => {
    ticks.push(tick);
    return { [Symbol.dispose]: () => undefined };
  };
  const failures: unknown[] = [];
  const agents = { support: agentOf({ text: 'Helped.' }) };
  const second = createHost({ store, agents, every, onFailure: (error) => failures.push(error) });
  await second.recover();
  await expect.poll(() => (ticks.forEach((tick) => tick()), refused)).toBeGreaterThan(1);
  isFull = false;
  const status = async () => (ticks.forEach((tick) => tick()), (await store.summary(id)).meta);
  await expect.poll(status).toMatchObject({ status: 'finished' });
  expect(failures).toHaveLength(reported);
  await second.close(AbortSignal.abort());
});
