import { expect, onTestFinished, test } from 'vitest';
import { eventFactory } from '@varve/events/testing';
import { SettingsError } from '@varve/settings';
import type { PrivateRecords } from '@varve/settings/secrets';
import { canonicalId, memoryStore, StorageError, type EventStore, type Replicas } from '@varve/storage';
import { wrapStore } from '@varve/storage/kit';
import { liveLogs } from '../live-logs.ts';
import { conversationSources, memoryRecords } from '../../hosting/host.ts';
import { eventFilter } from '../../reference/info/event-filter.ts';
import { conversationOf, testId } from '../../../test/support/conversation-of.ts';
import { message, runningServer } from '../../../test/support/running-server.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { webhookReceiver } from '../../../test/support/webhook-receiver.ts';
import type { ServerOptions } from '../../server-options.ts';
import { DeliveryLog } from './delivery-log.ts';
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
    store: wrapStore(store, { replicas: { addressOf } as unknown as Replicas }),
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

test('of two receivers with one address, one that fails gets every event when it recovers', async () => {
  const { store, receiver, accepted, hook, start } = await servers();
  accepted.add('good');
  const running = await start({ webhooks: [hook('good'), hook('bad')], idleMs: 0 });
  const { id } = await running.create({ initial_message: message('Go.') });
  await running.status(id, ['finished']);
  await receiver.untilArrived(() => sentIds(store, id));
  await untilClosed(store, id, running.tick);
  accepted.add('bad');
  const arrived = () =>
    receiver.received.filter(({ headers }) => headers['x-server'] === 'bad').map(({ body }) => body);
  const ids = (await sentIds(store, id)).map((each) => expect.objectContaining({ id: each }));
  await expect.poll(() => (running.tick(), arrived().flat())).toEqual(expect.arrayContaining(ids));
});

/** Webhooks of a store without a server, whose receiver answers with a status. */
async function webhooksOf(answer: { status: number }, replaced: Partial<PrivateRecords> = {}, hook: object = {}) {
  const sources = conversationSources({ store: memoryStore() });
  const records = memoryRecords();
  const positions = { ...records, ...replaced };
  const requests: { readonly url: string; readonly body: string }[] = [];
  const failures: unknown[] = [];
  const { promise: opened, resolve: open } = Promise.withResolvers<(id: string) => Promise<void>>();
  const { every, tick } = timers();
  const webhooks = new Webhooks({
    ...sources,
    webhooks: webhookOptions([{ base_url: 'http://127.0.0.1', event_buffer_size: 1, ...hook }], {}),
    key: '',
    now: Date.now,
    newId: () => 'id',
    context: {
      fetch: async (url, init) => {
        const request = new Request(url, init);
        requests.push({ url: request.url, body: await request.text() });
        return new Response(undefined, { status: answer.status });
      },
      delay: (_ms, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      onFailure: (error) => void failures.push(error),
    },
    positions,
    every,
    openTasks: (takeOver) => {
      open(takeOver);
      return noTasks;
    },
  });
  webhooks.start();
  onTestFinished(() => webhooks.close(AbortSignal.abort()));
  /** Adds a conversation of which nothing was sent. */
  const add = async (n: number): Promise<string> => {
    const id = await conversationOf(sources.store, { id: testId(n), events: [eventFactory().user('Hi.')] });
    await records.write(id, '{"http://127.0.0.1":0}');
    return id;
  };
  return { webhooks, records, requests, failures, tick, add, takeOver: await opened };
}

test('of many conversations that wait for a receiver, 20 are sent at a time', async () => {
  const { requests, tick, add, takeOver } = await webhooksOf({ status: 500 });
  for (let n = 0; n < 25; n += 1) await takeOver(await add(n));
  const asked = () => new Set(requests.map(({ url }) => url)).size;
  await expect.poll(() => (tick(), asked())).toBeGreaterThan(19);
  expect(asked()).toBe(20);
});

test('a conversation whose positions cannot be read when it is opened is sent from them later', async () => {
  let isDown = true;
  const read: PrivateRecords['read'] = async () => {
    if (isDown) throw new SettingsError('io', 'The disk failed.');
    return '{"http://127.0.0.1":0}';
  };
  const { webhooks, requests, failures, tick, add } = await webhooksOf({ status: 200 }, { read });
  await webhooks.watch(await add(0), 'now');
  expect(failures).toMatchObject([{ code: 'io' }]);
  isDown = false;
  await expect.poll(() => (tick(), requests.some(({ body }) => body.includes('MessageEvent')))).toBe(true);
});

test('a conversation that another tick finds while its positions are being stored is sent later', async () => {
  const answer = { status: 500 };
  const { promise: stored, resolve: store } = Promise.withResolvers<void>();
  let writes = 0;
  const write = async (): Promise<void> => {
    writes += 1;
    await stored;
  };
  const { requests, tick, add, takeOver } = await webhooksOf(answer, { write }, { num_retries: 0 });
  await takeOver(await add(0));
  await expect.poll(() => (writes === 0 && tick(), writes)).toBe(1);
  tick();
  store();
  answer.status = 200;
  const before = requests.length;
  await expect.poll(() => (tick(), requests.length)).toBeGreaterThan(before);
});

test('positions that were encrypted with another key are given up after one failure', async () => {
  const error = new SettingsError('invalid', 'Another key.');
  const read: PrivateRecords['read'] = () => Promise.reject(error);
  const { records, failures, tick, add, takeOver } = await webhooksOf({ status: 200 }, { read });
  const id = await add(0);
  await takeOver(id);
  await expect.poll(async () => (tick(), records.read(id))).toBeUndefined();
  tick();
  expect(failures).toEqual([error]);
});

test('an info that cannot be read fails no request', async () => {
  const inner = memoryStore();
  let isLost = false;
  const summary: EventStore['summary'] = async (id) => {
    if (isLost) throw new StorageError('corrupt', 'The log is damaged.');
    return inner.summary(id);
  };
  await using running = await runningServer([finish], {
    store: wrapStore(inner, { summary }),
    webhooks: [{ base_url: 'http://127.0.0.1:1' }],
  });
  const { id } = await running.create();
  isLost = true;
  expect((await running.send('DELETE', `/${id}`)).status).toBe(200);
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
    headers: () => ({ id: 'msg_1', signed: () => ({}) }),
    log: new DeliveryLog(Date.now),
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
