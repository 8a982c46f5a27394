import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { BaseEvent } from '@varve/events';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import { eventFactory } from '@varve/events/testing';
import { memoryStore } from '@varve/storage';
import { server } from '../../server.ts';
import { conversationOf, rowsOf, testId } from '../../../test/support/conversation-of.ts';
import { testKey } from '../../../test/support/requests.ts';
import { connectSocket, type SocketClient } from '../../../test/support/socket-client.ts';
import { listenForSockets, testServices } from '../../../test/support/socket-server.ts';

const path = `/sockets/events/${testId(1)}`;
const keyed = { headers: { 'X-Session-API-Key': testKey } };

const { user, stamp } = eventFactory();
const fact = () => ConversationStateUpdateEvent.create({ key: 'varve.run', value: {} }, stamp());

function ids(texts: readonly string[]): readonly string[] {
  return texts.map((text) => (JSON.parse(text) as BaseEvent).id);
}

/** Listens for a store whose first conversation is open. */
async function opened(options: Parameters<typeof listenForSockets>[1] = {}) {
  const store = memoryStore();
  const log = await store.create(testId(1), {});
  const services = testServices(store);
  const listening = await listenForSockets(services, options);
  return {
    store,
    log,
    services,
    listening,
    connect: (query = '', more = {}): Promise<SocketClient> =>
      connectSocket(`${listening.url}${path}?${query}`, { ...keyed, ...more }),
    async [Symbol.asyncDispose]() {
      await listening[Symbol.asyncDispose]();
    },
  };
}

test('a client receives the whole state, and then each event as it is stored, without facts', async () => {
  const store = memoryStore();
  await using log = await store.create(testId(1), { title: 'A title', workspace: '/srv/w' });
  await log.append(rowsOf([user('Before.')]));
  await using listening = await server({ store, keys: [testKey] }).listen(0);
  await using client = await connectSocket(listening.url + path, keyed);
  const [state = ''] = await client.received(1);
  expect(JSON.parse(state)).toMatchObject({
    key: 'full_state',
    value: { id: expect.any(String), workspace: { working_dir: '/srv/w' }, execution_status: 'idle' },
    kind: 'ConversationStateUpdateEvent',
  });
  expect(state).not.toMatch(/null|"title"/);
  const [one, other] = [user('One.'), user('Other.')];
  await log.append(rowsOf([one, fact(), other]));
  expect((await client.received(3)).slice(1)).toEqual([JSON.stringify(one), JSON.stringify(other)]);
});

test.for([
  ['resend_mode=all', 0],
  ['resend_all=true', 0],
  ['resend_mode=since&after_timestamp=', 2],
  ['resend_mode=since', 4],
  ['', 4],
] as const)('a history of "%s" starts with event %i', async ([query, first]) => {
  await using opening = await opened();
  const events = [user('0'), user('1'), user('2'), user('3')];
  await opening.log.append(rowsOf(events));
  const timestamp = query.endsWith('=') ? (events[2]?.timestamp ?? '') : '';
  await using client = await opening.connect(query + timestamp);
  await client.received(1);
  const last = user('last');
  await opening.log.append(rowsOf([last]));
  await client.find(last.id);
  expect(ids(client.texts.slice(1))).toEqual([...events.slice(first), last].map(({ id }) => id));
});

test('a client with a cursor receives seqs and a mark, and continues after a disconnection without a gap', async () => {
  await using opening = await opened();
  const events = [user('0'), fact(), user('2'), user('3')];
  await opening.log.append(rowsOf(events));
  const numbered = (seq: number): string => `{"seq":${seq},"event":${JSON.stringify(events[seq])}}`;
  await using first = await opening.connect('after_seq=-1');
  const [state, ...texts] = await first.received(5);
  expect(state).toMatch(/^\{"event":\{.*"full_state"/);
  expect(texts).toEqual([numbered(0), numbered(2), numbered(3), '{"seq":3,"synced":true}']);
  first.socket.terminate();
  events.push(user('4'), fact());
  await opening.log.append(rowsOf(events.slice(4)));
  await using second = await opening.connect('after_seq=3');
  events.push(user('6'));
  expect((await second.received(3)).slice(1)).toEqual([numbered(4), '{"seq":5,"synced":true}']);
  await opening.log.append(rowsOf(events.slice(6)));
  expect((await second.received(4))[3]).toBe(numbered(6));
});

test('a cursor after the last event closes the socket with 4008', async () => {
  await using opening = await opened();
  await using client = await opening.connect('after_seq=0');
  expect(await client.ended).toMatchObject({ code: 4008 });
  await using fresh = await opening.connect('after_seq=-1');
  expect((await fresh.received(2))[1]).toBe('{"seq":-1,"synced":true}');
});

test('an unknown conversation closes the socket with 4004', async () => {
  await using opening = await opened();
  await using client = await connectSocket(`${opening.listening.url}/sockets/events/${testId(2)}`, keyed);
  expect(await client.ended).toEqual({ code: 4004, reason: 'Conversation not found' });
  expect(opening.services.streams.countOf(testId(2))).toBe(0);
});

test('clients that connect while events are stored receive each once and in order', async () => {
  await using opening = await opened();
  const events = Array.from({ length: 900 }, (_, index) => user(String(index)));
  await opening.log.append(rowsOf(events.slice(0, 300)));
  const clients: SocketClient[] = [];
  for (let from = 300; from < 900; from += 3) {
    await opening.log.append(rowsOf(events.slice(from, from + 3)));
    if (from % 60 === 0) clients.push(await opening.connect(from % 120 === 0 ? 'resend_mode=all' : 'after_seq=99'));
  }
  const expected = events.map(({ id }) => id);
  for (const client of clients) {
    await client.find(expected.at(-1) ?? '');
    const stored = client.texts.filter((text) => !text.includes('full_state') && !text.includes('"synced"'));
    const isNumbered = stored[0]?.startsWith('{"seq":') === true;
    const eventIds = isNumbered
      ? stored.map((line) => (JSON.parse(line) as { readonly event: BaseEvent }).event.id)
      : ids(stored);
    expect(eventIds).toEqual(expected.slice(isNumbered ? 100 : 0));
    client.socket.terminate();
  }
});

test('all clients receive pieces of replies, errors and the whole state after the events before them', async () => {
  await using opening = await opened();
  await using watcher = await opening.connect();
  await using other = await opening.connect('after_seq=-1');
  await Promise.all([watcher.received(1), other.received(2)]);
  const { feed } = opening.services;
  const [first, last] = [user('first'), user('last')];
  const appended = opening.log.append(rowsOf([first]));
  await appended;
  feed.publish(testId(1), { kind: 'delta', content: 'Hel' });
  feed.publish(testId(1), { kind: 'delta', reasoning_content: 'hm' });
  feed.publish(testId(1), { kind: 'server_error', code: 'Late', detail: 'It is late.' });
  await opening.log.append(rowsOf([last]));
  feed.publish(testId(1), { kind: 'full_state' });
  const expected = [
    { id: first.id },
    { content: 'Hel', source: 'agent', kind: 'StreamingDeltaEvent' },
    { reasoning_content: 'hm', kind: 'StreamingDeltaEvent' },
    { code: 'Late', detail: 'It is late.', kind: 'ServerErrorEvent' },
    { id: last.id },
    { key: 'full_state', value: { leaf_event_id: last.id } },
  ];
  const plain = (await watcher.received(7)).slice(1).map((text) => JSON.parse(text) as BaseEvent);
  expect(plain).toMatchObject(expected);
  const numbered = (await other.received(8)).slice(2).map((text) => (JSON.parse(text) as { event: BaseEvent }).event);
  expect(numbered).toEqual(plain);
});

test('one client too many is closed with 1013, and the others are served', async () => {
  await using opening = await opened({ clients: 2 });
  await using first = await opening.connect();
  await using other = await opening.connect();
  await Promise.all([first.received(1), other.received(1)]);
  await using third = await opening.connect();
  expect(await third.ended).toEqual({ code: 1013, reason: 'Too many connections for this conversation' });
  const event = user('still served');
  await opening.log.append(rowsOf([event]));
  await Promise.all([first.find(event.id), other.find(event.id)]);
});

test('a hundred clients receive an event', async () => {
  await using opening = await opened({ clients: 100 });
  const clients = await Promise.all(Array.from({ length: 100 }, () => opening.connect()));
  await Promise.all(clients.map((client) => client.received(1)));
  const event = user('for all');
  await opening.log.append(rowsOf([event]));
  await Promise.all(clients.map((client) => client.find(event.id)));
  for (const client of clients) client.socket.terminate();
});

test('a client that does not read is disconnected, and the others are served', async () => {
  await using opening = await opened({ waitingBytes: 200_000 });
  await using slow = await opening.connect();
  await using other = await opening.connect();
  await Promise.all([slow.received(1), other.received(1)]);
  slow.socket.pause();
  const events = Array.from({ length: 100 }, () => user('x'.repeat(300_000)));
  for (const [index, event] of events.entries()) {
    await opening.log.append(rowsOf([event]));
    await other.received(index + 2);
  }
  slow.socket.resume();
  expect(await slow.ended).toMatchObject({ code: 1006 });
  expect(slow.texts.length).toBeLessThan(101);
  expect(opening.services.streams.countOf(testId(1))).toBe(1);
});

test('a client that reads its history slowly is not disconnected', async () => {
  await using opening = await opened({ waitingBytes: 700_000, historyBytes: 100_000 });
  const events = Array.from({ length: 100 }, () => user('x'.repeat(300_000)));
  await opening.log.append(rowsOf(events));
  await using client = await opening.connect('resend_mode=all');
  await client.received(1);
  client.socket.pause();
  // Another client that has everything shows that the server had time to fill the buffers.
  await using other = await opening.connect('resend_mode=all');
  await other.received(101);
  client.socket.resume();
  expect(ids((await client.received(101)).slice(1))).toEqual(events.map(({ id }) => id));
});

test('a client that answers no ping is disconnected, and one that does is not', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  await using opening = await opened({ pingMs: 1000 });
  await using dead = await opening.connect('', { autoPong: false });
  await using alive = await opening.connect();
  for (let round = 0; round < 4; round += 1) {
    const pinged = once(alive.socket, 'ping');
    vi.advanceTimersByTime(1000);
    await pinged;
    // The server reads the answer to its ping before it answers this one.
    alive.socket.ping();
    await once(alive.socket, 'pong');
  }
  expect(await dead.ended).toMatchObject({ code: 1006 });
  expect(alive.socket.readyState).toBe(alive.socket.OPEN);
});

test.for([
  ['not JSON', 'JSONDecodeError'],
  ['[[[['.repeat(100), 'ValidationError'],
])('the message "%s" is answered with an error, and the socket stays open', async ([message = '', code]) => {
  await using opening = await opened();
  await using client = await opening.connect();
  await client.received(1);
  client.send(message);
  client.send(message);
  const [, ...errors] = await client.received(3);
  for (const error of errors) {
    expect(JSON.parse(error)).toMatchObject({ code, source: 'environment', kind: 'ServerErrorEvent' });
  }
});

test('a client that floods the server is closed with 1008, and the others are served', async () => {
  await using opening = await opened({ messages: 20 });
  await using flooding = await opening.connect();
  await using other = await opening.connect();
  await Promise.all([flooding.received(1), other.received(1)]);
  for (let count = 0; count < 500; count += 1) flooding.send('no JSON');
  expect(await flooding.ended).toEqual({ code: 1008, reason: 'Too many messages' });
  expect(flooding.texts).toHaveLength(21);
  const event = user('still served');
  await opening.log.append(rowsOf([event]));
  await other.find(event.id);
});

test('a message above the limit closes the socket', async () => {
  await using opening = await opened();
  await using client = await opening.connect();
  await client.received(1);
  client.socket.send(Buffer.alloc(33 * 1024 * 1024));
  expect([1006, 1009]).toContain((await client.ended).code);
});

test('the sockets of a removed conversation stay open, and a new one of the same id can be followed', async () => {
  await using opening = await opened();
  await using old = await opening.connect();
  await old.received(1);
  await opening.log[Symbol.asyncDispose]();
  await opening.store.remove(testId(1));
  old.send('not JSON');
  await old.find('JSONDecodeError');
  await conversationOf(opening.store, { events: [user('again')] });
  await using fresh = await opening.connect('resend_mode=all');
  expect((await fresh.received(2))[1]).toContain('again');
});

test('stopping the server closes its sockets with 1001', async () => {
  await using opening = await opened();
  await using client = await opening.connect();
  await client.received(1);
  await opening.listening[Symbol.asyncDispose]();
  expect(await client.ended).toMatchObject({ code: 1001 });
});

test('nothing of a conversation is kept after its clients have left', async () => {
  await using opening = await opened();
  const clients = await Promise.all([opening.connect(), opening.connect('resend_mode=all')]);
  await Promise.all(clients.map((client) => client.received(1)));
  expect(opening.services.streams.countOf(testId(1))).toBe(2);
  for (const client of clients) client.socket.close();
  await Promise.all(clients.map((client) => client.ended));
  await using last = await opening.connect();
  await last.received(1);
  expect(opening.services.streams.countOf(testId(1))).toBe(1);
});
