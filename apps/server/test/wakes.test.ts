import { defineAgent } from '@varve/agent';
import { createHost } from '@varve/host';
import { scriptedModel } from '@varve/llm/testing';
import { postgresStore } from '@varve/storage-postgres';
import { describe, expect, test } from 'vitest';
import { expireLeases, freshUrl, problem } from '../../../packages/storage-postgres/test/server.ts';

const id = '0'.repeat(32);

async function processOf(url: string) {
  const store = await postgresStore({ url });
  const looks: (() => void)[] = [];
  const every = (_ms: number, look: () => void): Disposable => {
    looks.push(look);
    return { [Symbol.dispose]: () => undefined };
  };
  const failures: unknown[] = [];
  const model = scriptedModel([{ text: 'I am awake.' }]);
  const agents = { support: defineAgent({ model, tools: [] }) };
  const onFailure = (error: unknown) => failures.push(error);
  const host = createHost({ store, agents, every, now: () => 5, onFailure, abandon: async () => undefined });
  return { store, host, model, failures, looks };
}

describe.skipIf(problem !== undefined)('conversations in PostgreSQL', () => {
  test('one of several processes wakes a conversation whose process ended', async () => {
    const url = await freshUrl();
    const others = [await processOf(url), await processOf(url), await processOf(url)];
    for (const { host } of others) await host.recover();
    const first = await processOf(url);
    await first.host.create({ agent: 'support', workspace: '/', id });
    for (const [at, message] of [
      [5, 'Wake up.'],
      [6, 'Later.'],
    ] as const)
      await first.host.wakeAt(id, { at, message });
    const cancelled = await first.host.wakeAt(id, { at: 4, message: 'Never.' });
    expect(await first.host.cancelWake(id, cancelled)).toBe(true);
    await expireLeases(url, id);
    const wakes = async () => {
      for (const look of others.flatMap(({ looks }) => looks)) look();
      return others[0]?.host.wakes(id);
    };
    await expect.poll(wakes, { timeout: 20_000 }).toMatchObject([{ message: 'Later.' }]);
    const answered = () => others.map(({ model }) => model.requests.length).toSorted((one, other) => one - other);
    await expect.poll(answered, { timeout: 20_000 }).toEqual([0, 0, 1]);
    const texts = await Array.fromAsync((await first.store.read(id)).range(0), ({ text }) => text);
    const messages = texts.filter((text) => text.includes('"MessageEvent"') && text.includes('"source":"user"'));
    expect(messages).toEqual([expect.stringContaining('Wake up.')]);
    expect(others.flatMap(({ failures }) => failures)).toEqual([]);
    for (const { host, store } of [...others, first]) {
      await host.close(AbortSignal.abort());
      await store[Symbol.asyncDispose]();
    }
  });
});
