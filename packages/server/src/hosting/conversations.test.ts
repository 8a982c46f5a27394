import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedServer, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { expect, onTestFinished, test } from 'vitest';
import { createServices } from '../http/create-services.ts';
import type { FeedMessage } from '../reference/info/feed.ts';
import { startRequest } from '../reference/request/start-request.ts';
import type { ServerOptions } from '../server-options.ts';
import { requestFor } from '../../test/support/running-server.ts';

const finish: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const content = [{ type: 'text', text: 'Go.', cache_prompt: false }] as const;
const secret = 'sk-of-the-test';

async function servicesWith(steps: Iterable<ScriptedStep>, options: Partial<ServerOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'varve-runtime-'));
  const model = await scriptedServer(steps);
  const store = options.store ?? memoryStore();
  const services = createServices({ keys: [], env: { PATH: process.env['PATH'] }, ...options, store });
  onTestFinished(async () => {
    await services.conversations[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true });
  });
  const create = async (fields: object = {}): Promise<string> => {
    const body = startRequest().parse({ ...requestFor(model, directory), ...fields });
    return (await services.conversations.create(body)).id;
  };
  return { ...services, store, model, directory, create };
}

test('pieces of replies are published without secrets, and the whole state after each run', async () => {
  const text = `The key is ${secret}, and that is all there is to know.`;
  const { conversations, feed, create, model } = await servicesWith([{ text }, { text }]);
  const llm = { model: 'openai/scripted', base_url: model.url, api_key: secret, stream: true, num_retries: 0 };
  const id = await create({ agent: { llm } });
  const messages: FeedMessage[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  using _ = feed.subscribe(id, (received) => {
    messages.push(received);
    if (received.kind === 'full_state') end();
  });
  await conversations.send(id, content, { run: true });
  await ended;
  const pieces = messages.flatMap((message) => (message.kind === 'delta' ? [message.content ?? ''] : []));
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join('')).toBe(text.replace(secret, '<secret-hidden>'));
  expect(messages.filter(({ kind }) => kind === 'full_state')).toHaveLength(1);
  expect(messages.at(-1)).toEqual({ kind: 'full_state' });
});

test('an idle conversation is closed and its lease released; the next use opens it again', async () => {
  let now = 0;
  const ticks = new Set<() => void>();
  const every = (_ms: number, tick: () => void): Disposable => {
    ticks.add(tick);
    return { [Symbol.dispose]: () => ticks.delete(tick) };
  };
  const gate = Promise.withResolvers<void>();
  const steps = [{ ...finish, gate: gate.promise }, finish];
  const { conversations, store, create } = await servicesWith(steps, { now: () => now, every });
  const id = await create();
  await conversations.send(id, content, { run: true });
  const passTime = async (): Promise<void> => {
    now += 21 * 60_000;
    for (const tick of ticks) tick();
    // Closing begins on the next turn.
    await new Promise(setImmediate);
  };
  await passTime();
  await expect(store.open(id)).rejects.toMatchObject({ code: 'held' });
  gate.resolve();
  await conversations.use(id, (live) => live.hosted.runs.idle());
  await passTime();
  await passTime();
  expect(ticks.size).toBe(0);
  await (await store.open(id))[Symbol.asyncDispose]();
  await conversations.send(id, content, { run: true });
  await conversations.use(id, (live) => live.hosted.runs.idle());
  expect((await store.summary(id)).meta).toMatchObject({ status: 'finished' });
});

test('stopping leaves what runs and what waits to the next start, and releases the leases', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const hang = (): ScriptedTurn => {
    ask();
    return { fault: { kind: 'hang', afterPieces: 0 } };
  };
  const { conversations, store, create } = await servicesWith([hang], { maxRuns: 1 });
  const ids = [await create(), await create()];
  for (const id of ids) await conversations.send(id, content, { run: true });
  await asked;
  expect(conversations.load).toEqual({ running: 1, waiting: 1 });
  await conversations.close(AbortSignal.abort());
  for (const id of ids) {
    expect((await store.summary(id)).meta).toMatchObject({ status: 'running' });
    await (await store.open(id))[Symbol.asyncDispose]();
  }
  await expect(conversations.use(ids[0] ?? '', (live) => live.hosted.runs.start())).rejects.toMatchObject({
    code: 'stopping',
  });
});

test('requests to start and to pause a run that arrive in one turn are processed in their order', async () => {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const waiting = (): ScriptedTurn => {
    asked.resolve();
    return { ...finish, gate: gate.promise };
  };
  const { conversations, store, create, model } = await servicesWith([waiting, finish], { maxRuns: 1 });
  const [first, second] = [await create(), await create()];
  await conversations.send(first, content, { run: true });
  await asked.promise;
  await conversations.send(second, content, { run: false });
  await conversations.use(second, async ({ hosted: { runs } }) => Promise.all([runs.start(), runs.pause()]));
  expect((await store.summary(second)).meta).toMatchObject({ status: 'paused' });
  expect(conversations.load).toEqual({ running: 1, waiting: 0 });
  await conversations.use(second, async ({ hosted: { runs } }) => Promise.all([runs.pause(), runs.start()]));
  expect((await store.summary(second)).meta).toMatchObject({ status: 'running' });
  expect(conversations.load).toEqual({ running: 1, waiting: 1 });
  gate.resolve();
  await conversations.use(second, ({ hosted: { runs } }) => runs.idle());
  expect(model.requests).toHaveLength(2);
});

test('a conversation that another process takes over is opened again', async () => {
  const { conversations, store, create } = await servicesWith([finish]);
  const id = await create();
  await conversations.release(AbortSignal.abort());
  const other = await store.open(id);
  await expect(conversations.send(id, content, { run: false })).rejects.toMatchObject({ code: 'held' });
  await other[Symbol.asyncDispose]();
  await conversations.send(id, content, { run: true });
  await conversations.use(id, (live) => live.hosted.runs.idle());
  expect((await store.summary(id)).meta).toMatchObject({ status: 'finished' });
});

test('keys are in the data directory, encrypted, and nowhere else', async () => {
  const home = mkdtempSync(join(tmpdir(), 'varve-home-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const { conversations, store, create } = await servicesWith([], { home });
  const id = await create({ secrets: { A_TOKEN: { kind: 'StaticSecret', value: 'value-0123456789' } } });
  const log = await store.read(id);
  const texts = await Array.fromAsync(log.range(0), ({ text }) => text);
  const file = join(home, 'conversations', `${id}.token`);
  texts.push(JSON.stringify((await store.summary(id)).meta), readFileSync(file, 'utf8'));
  for (const text of texts) expect(text).not.toMatch(/sk-of-the-test|value-0123456789/);
  await conversations.remove(id);
  expect(readdirSync(join(home, 'conversations'))).toEqual([]);
});
