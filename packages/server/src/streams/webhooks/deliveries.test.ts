import { expect, onTestFinished, test } from 'vitest';
import { eventFactory } from '@varve/events/testing';
import { canonicalId, memoryStore, type EventStore, type Replicas } from '@varve/storage';
import { liveLogs } from '../live-logs.ts';
import { conversationSources, memoryRecords } from '../../hosting/host.ts';
import { eventFilter } from '../../hosting/info/event-filter.ts';
import { conversationOf, testId } from '../../../test/support/conversation-of.ts';
import { message, runningServer } from '../../../test/support/running-server.ts';
import { storeWith } from '../../../test/support/store-with.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { webhookReceiver } from '../../../test/support/webhook-receiver.ts';
import type { ServerOptions } from '../../server-options.ts';
import { sendEvents } from './send-events.ts';
import { webhookOptions } from './webhook-options.ts';
import { WebhookQueue } from './webhook-queue.ts';
import { Webhooks } from './webhooks.ts';

const finish = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

/** Timers that run only when the test does. */
function timers() {
  const ticks = new Set<() => void>();
  const every = (_ms: number, tick: () => void): Disposable => {
    ticks.add(tick);
    return { [Symbol.dispose]: () => void ticks.delete(tick) };
  };
  return { every, tick: () => [...ticks].forEach((tick) => tick()) };
}

const noTasks = {
  begin: async () => undefined,
  isOwn: async () => true,
  end: () => undefined,
  fail: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
};

/** Servers of one store and one data directory, and a receiver that accepts the events of some of them. */
async function servers() {
  const store = memoryStore();
  const home = await temporaryDirectory();
  onTestFinished(() => home[Symbol.asyncDispose]());
  const accepted = new Set<unknown>();
  const receiver = await webhookReceiver(({ headers }) => (accepted.has(headers['x-server']) ? 200 : 500));
  const hook = (name: string, path = '') => ({
    base_url: receiver.url + path,
    headers: { 'X-Server': name },
    event_buffer_size: 1,
    num_retries: 0,
    flush_delay: 0,
  });
  const start = async (options: Partial<ServerOptions>) => {
    const { every, tick } = timers();
    const running = await runningServer([finish], { store, home: home.path, every, ...options });
    onTestFinished(() => running[Symbol.asyncDispose]());
    const listening = await running.server.listen(0);
    onTestFinished(() => listening[Symbol.asyncDispose]());
    return { ...running, tick };
  };
  return { store, receiver, accepted, hook, start };
}

/** Returns the ids of the events of a conversation that receivers get. */
async function sentIds(store: EventStore, id: string): Promise<readonly string[]> {
  const log = await store.read(canonicalId(id));
  const stored = (await Array.fromAsync(log.range(0))).filter(eventFilter({}));
  return stored.map(({ text }) => (JSON.parse(text) as { readonly id: string }).id);
}

async function untilClosed(store: EventStore, id: string, tick: () => void): Promise<void> {
  const opened = async () => (tick(), (await store.open(canonicalId(id)))[Symbol.asyncDispose]());
  await expect.poll(opened).toBe(undefined);
}

test('events that a server did not send are sent by another one, and new receivers do not receive them', async () => {
  const { store, receiver, accepted, hook, start } = await servers();
  const one = await start({ webhooks: [hook('one')] });
  const { id } = await one.create({ initial_message: message('Go.') });
  await one.status(id, ['finished']);
  accepted.add('two');
  const two = await start({ webhooks: [hook('two'), hook('two', 'new/')] });
  // The list of the first server is not renewed, as if it had been killed.
  await expect.poll(() => (two.tick(), receiver.events().length)).toBeGreaterThan(0);
  await receiver.untilArrived(() => sentIds(store, id));
  expect(receiver.events('/hooks/new/')).toEqual([]);
});

test('a server that opens a conversation sends what was not sent before', async () => {
  const { store, receiver, accepted, hook, start } = await servers();
  const one = await start({ webhooks: [hook('one')], idleMs: 0 });
  const { id } = await one.create({ initial_message: message('Go.') });
  await one.status(id, ['finished']);
  await untilClosed(store, id, one.tick);
  accepted.add('two');
  const two = await start({ webhooks: [hook('two')] });
  await two.json(200, 'POST', `/${id}/events`, message('Hello.'));
  await receiver.untilArrived(() => sentIds(store, id));
});

test('events of a conversation that another replica holds are sent by that one, and without it by others', async () => {
  const { store, receiver, accepted, hook, start } = await servers();
  const one = await start({ webhooks: [hook('one')] });
  const { id } = await one.create({ initial_message: message('Go.') });
  await one.status(id, ['finished']);
  accepted.add('two');
  const holders: (string | undefined)[] = Array.from({ length: 20 }, () => 'http://127.0.0.1:1');
  const addressOf = async (): Promise<string | undefined> => {
    expect(holders.length === 0 || receiver.events().length === 0).toBe(true);
    return holders.pop();
  };
  const two = await start({
    store: storeWith(store, { replicas: { addressOf } as unknown as Replicas }),
    webhooks: [hook('two')],
  });
  await expect.poll(() => (two.tick(), receiver.events().length)).toBeGreaterThan(0);
  expect(holders).toEqual([]);
  await receiver.untilArrived(() => sentIds(store, id));
});

test('a receiver that fails stops no other one, and gets every event when it recovers', async () => {
  const { store, receiver, accepted, hook, start } = await servers();
  accepted.add('good');
  const webhooks = [{ ...hook('bad', 'bad'), max_queue_size: 2 }, hook('good', 'good')];
  const running = await start({ webhooks, idleMs: 0 });
  const { id } = await running.create({ initial_message: message('Go.') });
  await running.status(id, ['finished']);
  await receiver.untilArrived(() => sentIds(store, id), '/hooks/good');
  // Closed, it is sent again from the log.
  await untilClosed(store, id, running.tick);
  accepted.add('bad');
  await receiver.untilArrived(() => (running.tick(), sentIds(store, id)), '/hooks/bad');
});

test('of many conversations that wait for a receiver, 20 are sent at a time', async () => {
  const sources = conversationSources({ store: memoryStore() });
  const positions = memoryRecords();
  const asked = new Set<string>();
  const { promise: taken, resolve: take } = Promise.withResolvers<(id: string) => Promise<void>>();
  const { every, tick } = timers();
  const webhooks = new Webhooks({
    ...sources,
    webhooks: webhookOptions([{ base_url: 'http://127.0.0.1' }], {}),
    key: '',
    context: {
      fetch: async (url) => {
        asked.add(new Request(url).url);
        return new Response(undefined, { status: 500 });
      },
      delay: (_ms, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      onFailure: () => undefined,
    },
    positions,
    every,
    openTasks: (takeOver) => {
      take(takeOver);
      return noTasks;
    },
  });
  webhooks.start();
  for (let n = 0; n < 25; n += 1) {
    const id = await conversationOf(sources.store, { id: testId(n), events: [eventFactory().user('Hi.')] });
    await positions.write(id, '{"http://127.0.0.1":0}');
    await (
      await taken
    )(id);
  }
  await expect.poll(() => (tick(), asked.size)).toBeGreaterThan(19);
  expect(asked.size).toBe(20);
  await webhooks.close(AbortSignal.abort());
});

test('stored events wait in the log for room in the queue, and others are dropped', async () => {
  const accepted = new Set<unknown>();
  const receiver = await webhookReceiver(() => (accepted.has('all') ? 200 : 500));
  const sources = conversationSources({ store: memoryStore() });
  await using running = await runningServer([finish], { store: sources.store });
  const { id } = await running.create({ initial_message: message('Go.') });
  await running.status(id, ['finished']);
  const [options] = webhookOptions(
    [{ base_url: receiver.url, event_buffer_size: 1, max_queue_size: 2, num_retries: 0 }],
    {},
  );
  if (!options) throw new Error('There are no options.');
  let waiting = 0;
  const delay = (_ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      waiting += 1;
      ticks.add(resolve);
      signal.addEventListener('abort', () => resolve());
    });
  const ticks = new Set<() => void>();
  const positions: number[] = [];
  const added: (number | undefined)[] = [];
  const queue = new WebhookQueue(receiver.url, options, {
    headers: {},
    context: { fetch, delay, onFailure: () => undefined },
    onSent: (next) => positions.push(next),
  });
  const add = queue.add.bind(queue);
  queue.add = (json, next) => (added.push(next), add(json, next));
  const stop = new AbortController();
  const parts = { streams: liveLogs(sources), first: 0, stop: stop.signal, onFailure: () => undefined };
  const ended = sendEvents(canonicalId(id), queue, parts);
  await expect.poll(() => waiting).toBeGreaterThan(1);
  for (let n = 0; n < 10; n += 1) sources.feed.publish(canonicalId(id), { kind: 'delta', content: `${n}` });
  expect(added.filter((next) => next !== undefined).length).toBeLessThan(4);
  accepted.add('all');
  await receiver.untilArrived(() => {
    for (const tick of ticks) tick();
    return sentIds(sources.store, id);
  });
  stop.abort();
  expect(await ended).toBe(true);
  await queue.close(new AbortController().signal);
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
});
