import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { server } from '../../server.ts';
import { get, testKey } from '../../../test/support/requests.ts';
import { connectSocket } from '../../../test/support/socket-client.ts';
import { message, runningServer } from '../../../test/support/running-server.ts';
import { webhookReceiver } from '../../../test/support/webhook-receiver.ts';
import { DeliveryLog } from './delivery-log.ts';
import { webhookOptions, type WebhookInput } from './webhook-options.ts';
import { WebhookQueue } from './webhook-queue.ts';

/** Starts a receiver that answers with these statuses, then with 200. */
async function receiver(statuses: number[] = []) {
  return webhookReceiver(() => statuses.shift() ?? 200);
}

const context = { fetch, delay: async () => undefined, onFailure: () => undefined };
const parts = () => ({ headers: () => ({ id: 'msg_1', signed: () => ({}) }), log: new DeliveryLog(Date.now) });
const optionsOf = (input: WebhookInput) => {
  const [options] = webhookOptions([input], {});
  if (!options) throw new Error('There are no options.');
  return options;
};

test('a conversation is reported when it is created, with all its events in order', async () => {
  const { received, until, url } = await receiver();
  const finish = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
  const options = { webhooks: [{ base_url: url, event_buffer_size: 1, headers: { 'X-Own': 'a' } }] };
  await using running = await runningServer([finish], options);
  const { id } = await running.create({ initial_message: message('Go.') });
  await running.status(id, ['finished']);
  const stored = (await running.events(id)).map((event) => event.id);
  const path = `/hooks/events/${id.replaceAll('-', '')}`;
  const ids = () =>
    received.filter((request) => request.path === path).flatMap(({ body }) => (Array.isArray(body) ? body : []));
  await until(() =>
    ids().some(
      ({ kind, key, value }) =>
        kind === 'ConversationStateUpdateEvent' && key === 'execution_status' && value === 'finished',
    ),
  );
  const sent = ids().map((event) => event['id']);
  expect(sent.filter((eventId) => stored.includes(String(eventId)))).toEqual(
    stored.filter((eventId) => sent.includes(eventId)),
  );
  expect(ids().map(({ kind }) => kind)).toContain('MessageEvent');
  await running.send('DELETE', `/${id}`);
  await until(() => received.filter((request) => request.path === '/hooks/conversations').length === 2);
  const infos = received.filter((request) => request.path === '/hooks/conversations').map(({ body }) => body);
  expect(infos).toMatchObject([{ id }, { id, execution_status: 'deleting' }]);
  expect(received.every(({ headers }) => headers['x-session-api-key'] === 'key-of-the-tests')).toBe(true);
});

test('batches are limited, and a request that fails is repeated', async () => {
  const { received, until, url } = await receiver([500, 503]);
  const queue = new WebhookQueue(url, optionsOf({ base_url: url, event_buffer_size: 2, max_batch_bytes: 25 }), {
    ...parts(),
    context,
  });
  for (const event of ['{"n":1}', '{"n":2}', '{"long":"0123456789"}', '{"n":3}']) queue.add(event);
  await queue.close(new AbortController().signal);
  await until(() => received.length > 2);
  expect(received.map(({ body }) => body)).toEqual([[{ n: 1 }, { n: 2 }], [{ long: '0123456789' }], [{ n: 3 }]]);
});

test('a receiver that is down keeps the newest events that no log contains, and fails nothing', async () => {
  const failures: unknown[] = [];
  const { received, url } = await receiver([500, 500, 500]);
  const options = optionsOf({ base_url: url, event_buffer_size: 3, num_retries: 0, max_queue_size: 2 });
  const failing = { ...context, onFailure: (error: unknown) => failures.push(error) };
  const queue = new WebhookQueue(url, options, { ...parts(), context: failing });
  for (const event of ['1', '2', '3']) queue.add(event);
  await queue.close(new AbortController().signal);
  expect(received).toEqual([]);
  expect(failures.length).toBeGreaterThan(0);
  const next = new WebhookQueue(url, optionsOf({ base_url: url, event_buffer_size: 5, max_queue_size: 2 }), {
    ...parts(),
    context,
  });
  next.add('1');
  next.add('2', 1);
  for (const event of ['3', '4']) next.add(event);
  await next.close(new AbortController().signal);
  expect(received.map(({ body }) => body)).toEqual([[2, 4]]);
});

test('a receiver that recovers gets what waited, without a further event', async () => {
  const { received, until, url } = await receiver([500, 500, 500]);
  const { promise: retried, resolve: retry } = Promise.withResolvers<void>();
  let delays = 0;
  const delay = async (): Promise<void> => {
    delays += 1;
    if (delays === 2) retry();
  };
  const options = optionsOf({ base_url: url, event_buffer_size: 2, num_retries: 1 });
  const queue = new WebhookQueue(url, options, { ...parts(), context: { ...context, delay } });
  for (const event of ['1', '2']) queue.add(event);
  await retried;
  await until(() => received.length === 1);
  expect(received.map(({ body }) => body)).toEqual([[1, 2]]);
  await queue.close(new AbortController().signal);
  expect(queue.isEmpty).toBe(true);
});

test('a receiver without delays that fails is not asked again within a second', async () => {
  const { received, until, url } = await receiver([500, 500]);
  const waits: number[] = [];
  const delay = async (ms: number): Promise<void> => void waits.push(ms);
  const options = optionsOf({ base_url: url, event_buffer_size: 1, num_retries: 0, flush_delay: 0 });
  const queue = new WebhookQueue(url, options, { ...parts(), context: { ...context, delay } });
  queue.add('1');
  await until(() => received.length === 1);
  expect(waits).toEqual([1000, 1000]);
  await queue.close(new AbortController().signal);
});

test('the last deliveries to each receiver can be read, with their attempts and failures', async () => {
  const { until, received, url } = await receiver([500]);
  const hook = { event_buffer_size: 1000, num_retries: 1, retry_delay: 0, flush_delay: 1000 };
  const down = 'http://127.0.0.1:1/down';
  const webhooks = [
    { ...hook, base_url: url },
    { ...hook, base_url: down, num_retries: 0 },
  ];
  await using running = await runningServer([], { webhooks, now: () => Date.UTC(2026, 0) });
  const deliveries = async () => (await get(running.server, '/api/webhooks')).json();
  expect(await deliveries()).toEqual({
    webhooks: [
      { base_url: url.slice(0, -1), deliveries: [] },
      { base_url: down, deliveries: [] },
    ],
  });
  await running.create();
  await until(() => received.length === 1);
  const times = { started_at: '2026-01-01T00:00:00.000Z', ended_at: '2026-01-01T00:00:00.000Z' };
  const sent = { id: received[0]?.headers['webhook-id'], path: '/conversations', ...times };
  // No request can be made to such a port.
  const error = 'A webhook cannot be reached (TypeError).';
  const failed = { ...sent, id: expect.any(String), attempts: 1, state: 'failed', status: null, error };
  await expect.poll(deliveries).toEqual({
    webhooks: [
      {
        base_url: url.slice(0, -1),
        deliveries: [{ ...sent, attempts: 2, state: 'delivered', status: 200, error: null }],
      },
      { base_url: down, deliveries: expect.arrayContaining([failed]) },
    ],
  });
});

test('of many deliveries the last ones are kept', () => {
  const log = new DeliveryLog(Date.now);
  for (let n = 0; n < 1000; n += 1) log.begin(`msg_${n}`, '/conversations').attempted({ status: 500, error: 'No.' });
  expect([log.last.length, log.last[0]?.id, log.last.at(-1)?.id]).toEqual([100, 'msg_999', 'msg_900']);
});

test('documents are sent one by one, and a few of those that wait for a receiver are kept', async () => {
  const { received, url } = await receiver();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const waiting: typeof fetch = async (...request) => {
    await opened;
    return fetch(...request);
  };
  const options = optionsOf({ base_url: url, max_queue_size: 2 });
  const queue = new WebhookQueue(url, options, {
    ...parts(),
    context: { ...context, fetch: waiting },
    content: 'documents',
  });
  for (const document of ['1', '2', '3', '4']) queue.add(document);
  open();
  await queue.close(new AbortController().signal);
  // The first one was being sent.
  expect(received.map(({ body }) => body)).toEqual([1, 3, 4]);
});

test('a conversation that is opened again is reported, also for a message of a socket', async () => {
  const store = memoryStore();
  const finish = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
  await using first = await runningServer([finish], { store });
  const { id } = await first.create();
  await first.server[Symbol.asyncDispose]();
  const { received, url } = await receiver();
  const webhooks = [{ base_url: url, event_buffer_size: 1000 }];
  const second = server({ store, keys: [testKey], env: {}, webhooks });
  const listening = await second.listen(0);
  {
    await using client = await connectSocket(`${listening.url}/sockets/events/${id}?session_api_key=${testKey}`);
    client.send({ role: 'user', content: 'Go.' });
    await client.find('"key":"execution_status","value":"finished"');
  }
  // What waits is sent at the end: the stored events in order, then the state after them.
  await listening[Symbol.asyncDispose]();
  const sent = received.flatMap(({ body }) => (Array.isArray(body) ? body : [])).map((event) => event['id']);
  const stored = (await first.events(id)).map((event) => event.id);
  expect(sent.filter((eventId) => stored.includes(String(eventId)))).toEqual(
    stored.filter((eventId) => sent.includes(eventId)),
  );
  const kinds = received.flatMap(({ body }) => (Array.isArray(body) ? body : [])).map(({ kind, key }) => key ?? kind);
  expect(kinds).toEqual(expect.arrayContaining(['MessageEvent', 'ActionEvent', 'execution_status', 'full_state']));
  expect(kinds.at(-1)).toBe('full_state');
});

test('webhooks are read from the environment, and errors contain no value', () => {
  const env = { OH_WEBHOOKS: '[{"base_url": "https://hooks.example.test/a/"}]' };
  expect(webhookOptions(undefined, env)).toMatchObject([{ base_url: 'https://hooks.example.test/a', num_retries: 3 }]);
  for (const text of ['{', '{}', '[{"base_url": "ftp://canary"}]']) {
    expect(() => webhookOptions(undefined, { OH_WEBHOOKS: text })).toThrow(/^The webhooks are invalid: [^c]*$/);
  }
});

test('secrets in addresses and headers of webhooks are in no failure', async () => {
  const invalid: readonly WebhookInput[] = [
    { base_url: 'http://me:canary-0123@127.0.0.1/' },
    { base_url: 'http://canary-0123@127.0.0.1/' },
    ...['\n', '\0', '\u2019', '\r\nX: y'].flatMap((character) => [
      { base_url: 'http://127.0.0.1', headers: { Authorization: `Bearer canary-0123${character}0` } },
      { base_url: 'http://127.0.0.1', headers: { [`X${character}`]: 'canary-0123' } },
    ]),
  ];
  for (const options of invalid) {
    expect(() => webhookOptions(undefined, { OH_WEBHOOKS: JSON.stringify([options]) })).toThrow(
      /^The webhooks are invalid: 0\.(?:base_url|headers)\.$/,
    );
  }
  const failures: unknown[] = [];
  const url = 'http://127.0.0.1:1/services/canary-0123';
  const failing = { ...context, onFailure: (error: unknown) => failures.push(error) };
  const queue = new WebhookQueue(url, optionsOf({ base_url: url }), {
    headers: () => ({ id: 'msg_1', signed: () => ({ 'X-Key': 'canary-0123\0' }) }),
    log: new DeliveryLog(Date.now),
    context: failing,
  });
  queue.add('1');
  await queue.close(new AbortController().signal);
  expect(inspect(failures)).toMatch(/A webhook cannot be reached \(TypeError\)/);
  expect(inspect(failures)).not.toContain('canary');
});
