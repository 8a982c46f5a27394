import { expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { conversationOf, testId } from '../../../test/support/conversation-of.ts';
import { testKey } from '../../../test/support/requests.ts';
import { ended, requestFor, runningServer } from '../../../test/support/running-server.ts';
import { connectSocket } from '../../../test/support/socket-client.ts';
import { listenForSockets, testServices } from '../../../test/support/socket-server.ts';

const finish = (message: string, secret = '') => ({
  text: `Done with ${secret}.`,
  calls: [{ id: `call-${message}`, name: 'finish', arguments: JSON.stringify({ message }) }],
});

test('a message over the socket is answered by a run, whose end is reported by a whole state', async () => {
  await using running = await runningServer([finish('one'), finish('two')]);
  await using listening = await running.server.listen(0);
  const { id } = await running.create();
  await using client = await connectSocket(`${listening.url}/sockets/events/${id}?session_api_key=${testKey}`);
  await client.received(1);
  client.send({ role: 'user', content: [{ type: 'text', text: 'Do one.' }], run: true });
  const isEnd = '"execution_status":"finished"';
  await client.find(isEnd);
  const kinds = client.texts.map((text) => (JSON.parse(text) as { readonly kind: string }).kind);
  expect(kinds.indexOf('MessageEvent')).toBeLessThan(kinds.indexOf('ActionEvent'));
  expect(kinds.at(-1)).toBe('ConversationStateUpdateEvent');
  expect(client.texts.find((text) => text.includes(isEnd))).toContain('"key":"full_state"');
  expect(client.texts.join('\n')).not.toMatch(/varve\.|sk-of-the-test/);
  client.send({ content: 'Do two.' });
  await client.find('"message":"two"');
  await running.status(id, ended, 2);
});

test('pieces of replies reach every client, without secrets', async () => {
  await using running = await runningServer([finish('one', 'sk-of-the-test')]);
  await using listening = await running.server.listen(0);
  const { id } = await running.create({
    agent: {
      ...requestFor(running.model, running.workspace).agent,
      llm: { ...requestFor(running.model, running.workspace).agent.llm, stream: true },
    },
  });
  const url = `${listening.url}/sockets/events/${id}?session_api_key=${testKey}`;
  await using first = await connectSocket(url);
  await using other = await connectSocket(url);
  await Promise.all([first.received(1), other.received(1)]);
  first.send({ role: 'user', content: 'Do it.' });
  for (const client of [first, other]) {
    await client.find('"execution_status":"finished"');
    const deltas = client.texts.filter((text) => text.includes('StreamingDeltaEvent'));
    expect(deltas.length).toBeGreaterThan(0);
    const content = deltas.map((text) => (JSON.parse(text) as { readonly content?: string }).content ?? '').join('');
    expect(content).toContain('Done with <secret-hidden>');
    expect(client.texts.join('')).not.toContain('sk-of-the-test');
    const kinds = client.texts.map((text) => (JSON.parse(text) as { readonly kind: string }).kind);
    expect(kinds.lastIndexOf('StreamingDeltaEvent')).toBeLessThan(kinds.indexOf('ActionEvent'));
  }
});

test.for<readonly [string, unknown]>([
  ['another role', { role: 'assistant', content: 'Hi.' }],
  ['no message', [1]],
  ['a number', 5],
  ['content of an unknown type', { content: [{ type: 'video' }] }],
])('%s is answered with an error, and the socket stays open', async ([, message]) => {
  const store = memoryStore();
  await conversationOf(store, {});
  await using listening = await listenForSockets(testServices(store));
  const url = `${listening.url}/sockets/events/${testId(1)}?session_api_key=${testKey}`;
  await using client = await connectSocket(url);
  client.send(message);
  client.send(message);
  const [, , error = ''] = await client.received(3);
  expect(JSON.parse(error)).toMatchObject({ code: 'ValidationError', kind: 'ServerErrorEvent' });
});

test('a message to a removed conversation is answered with an error', async () => {
  const store = memoryStore();
  await conversationOf(store, {});
  await using listening = await listenForSockets(testServices(store));
  await using client = await connectSocket(`${listening.url}/sockets/events/${testId(1)}?session_api_key=${testKey}`);
  await client.received(1);
  await store.remove(testId(1));
  client.send({ content: 'Hi.' });
  expect(JSON.parse(await client.find('ServerErrorEvent'))).toMatchObject({
    code: 'StorageError',
    detail: 'Not Found',
  });
});
