import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { eventFactory } from '@varve/events/testing';
import { memoryStore } from '@varve/storage';
import { testApp } from '../../../test/support/test-app.ts';
import { listen } from '../listen.ts';
import { server } from '../../server.ts';
import { conversationOf, rowsOf, testId } from '../../../test/support/conversation-of.ts';
import { get, testKey } from '../../../test/support/requests.ts';

const path = `/api/conversations/${testId(1)}/events/stream`;
const { user } = eventFactory();

/** Reads messages of server-sent events, which end with an empty line. */
async function* messagesOf(response: Response): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    const messages = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = messages.pop() ?? '';
    yield* messages;
  }
}

async function take(messages: AsyncGenerator<string>, count: number): Promise<readonly string[]> {
  const taken: string[] = [];
  while (taken.length < count) {
    const { value, done } = await messages.next();
    if (done === true) throw new Error(`The stream ended after ${taken.join('\n')}`);
    taken.push(value);
  }
  return taken;
}

test('a client receives the state, the history with seqs, a mark, and live events; it continues after its last', async () => {
  const store = memoryStore();
  await using log = await store.create(testId(1), {});
  const events = [user('0'), user('1'), user('2')];
  await log.append(rowsOf(events.slice(0, 2)));
  await using listening = await server({ store, keys: [testKey] }).listen(0);
  const headers = { 'X-Session-API-Key': testKey };
  const response = await fetch(`${listening.url}${path}?after_seq=-1`, { headers });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const messages = messagesOf(response);
  const [state, ...history] = await take(messages, 4);
  expect(state).toMatch(/^data: \{.*"full_state"/);
  const sent = (seq: number): string => `id: ${seq}\ndata: ${JSON.stringify(events[seq])}`;
  expect(history).toEqual([sent(0), sent(1), 'event: synced\nid: 1\ndata: {"seq":1,"synced":true}']);
  await log.append(rowsOf(events.slice(2)));
  expect(await take(messages, 1)).toEqual([sent(2)]);
  await messages.return(undefined);

  const resumed = await fetch(`${listening.url}${path}?after_seq=-1`, {
    headers: { ...headers, 'Last-Event-ID': '1' },
  });
  const more = messagesOf(resumed);
  expect((await take(more, 3)).slice(1)).toEqual([sent(2), 'event: synced\nid: 2\ndata: {"seq":2,"synced":true}']);
  await more.return(undefined);
});

test('stopping the server ends its streams', async () => {
  const store = memoryStore();
  await conversationOf(store, {});
  const listening = await server({ store, keys: [testKey] }).listen(0);
  const response = await fetch(listening.url + path, { headers: { 'X-Session-API-Key': testKey } });
  const messages = messagesOf(response);
  await take(messages, 2);
  await listening[Symbol.asyncDispose]();
  expect(await Array.fromAsync(messages)).toEqual([]);
});

test('a stream is refused for an unknown conversation and for a cursor that no log contains', async () => {
  const store = memoryStore();
  await conversationOf(store, { events: [user('0')] });
  const serving = server({ store, keys: [testKey] });
  expect((await get(serving, path.replace(testId(1), testId(2)))).status).toBe(404);
  const late = await get(serving, `${path}?after_seq=1`);
  expect([late.status, await late.json()]).toEqual([400, { detail: 'The cursor 1 is after the last event, 0.' }]);
  expect((await get(serving, `${path}?after_seq=-2`)).status).toBe(422);
  const headers = { 'X-Session-API-Key': testKey, 'Last-Event-ID': 'one' };
  expect((await serving.request(path, { headers })).status).toBe(400);
});

test('line ends in the text of an event do not end its message', async () => {
  const store = memoryStore();
  await using log = await store.create(testId(1), {});
  const event = user('0');
  const text = JSON.stringify(event, undefined, 1).replaceAll('\n', '\r\n');
  await log.append([{ id: event.id, kind: event.kind, parentId: undefined, text }]);
  const response = await get(server({ store, keys: [testKey] }), `${path}?resend_mode=all`);
  const messages = messagesOf(response);
  const [, message = ''] = await take(messages, 2);
  const [id, ...lines] = message.split('\n');
  expect(id).toBe('id: 0');
  expect(JSON.parse(lines.map((line) => line.slice('data: '.length)).join('\n'))).toEqual(event);
  await messages.return(undefined);
});

/** Opens a stream without reading it. */
async function unread(url: string): Promise<IncomingMessage> {
  const call = httpGet(`${url}${path}`, { agent: false, headers: { 'X-Session-API-Key': testKey } });
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return response;
}

test('a client that does not read is disconnected, one that leaves is forgotten, and the others are served', async () => {
  const store = memoryStore();
  await using log = await store.create(testId(1), {});
  const { app, services } = testApp({ store });
  const onStop = async (): Promise<void> => services.streams.stop();
  await using listening = await listen({ fetch: app.fetch, host: '127.0.0.1', port: 0, onStop });
  const slow = await unread(listening.url);
  const left = await unread(listening.url);
  const other = messagesOf(await fetch(listening.url + path, { headers: { 'X-Session-API-Key': testKey } }));
  await take(other, 2);
  expect(services.streams.countOf(testId(1))).toBe(3);
  left.destroy();
  const big = 'x'.repeat(1_000_000);
  let sent = 0;
  // Beyond what the server keeps for it, and what the system buffers for its connection.
  while (services.streams.countOf(testId(1)) > 1 && sent < 100) {
    await log.append(rowsOf([user(big)]));
    sent += 1;
    expect((await take(other, 1))[0]).toMatch(/^id: /);
  }
  expect(services.streams.countOf(testId(1))).toBe(1);
  let bytes = 0;
  slow.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await expect(once(slow, 'end')).rejects.toThrow('aborted');
  expect(bytes).toBeLessThan(sent * big.length);
  await other.return(undefined);
});
