import type { BaseEvent } from '@varve/events';
import { MessageEvent } from '@varve/events/kinds';
import type { ScriptedTurn } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { message, requestFor, runningServer } from '../../../test/support/running-server.ts';
import { testKey, type TestPage } from '../../../test/support/requests.ts';
import { connectSocket } from '../../../test/support/socket-client.ts';

const finish: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'It is done.' } }] };
const go = { ...message('Go.'), run: true };

/** A server, one conversation of it, and what its log has of messages of the user. */
async function opened(steps: readonly ScriptedTurn[]) {
  const running = await runningServer(steps);
  const { id } = await running.create();
  const sent = async (): Promise<readonly string[]> => {
    const page = await running.json<TestPage<BaseEvent>>(
      200,
      'GET',
      `/${id}/events/search?kind=MessageEvent&source=user`,
    );
    return page.items.flatMap((event) => (MessageEvent.is(event) ? [event.id] : []));
  };
  return { running, id, sent, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

test('a message that is sent again with its id is stored and answered once, over HTTP and sockets', async () => {
  await using place = await opened([finish, finish]);
  const { running, id, sent } = place;
  const post = async () => running.json(200, 'POST', `/${id}/events`, { ...go, id: '00000000-0001' });
  await Promise.all([post(), post(), post()]);
  await running.status(id, ['finished']);
  await post();
  await using listening = await running.server.listen(0);
  await using client = await connectSocket(`${listening.url}/sockets/events/${id}?session_api_key=${testKey}`);
  client.send({ id: '00000000-0001', content: 'Go.' });
  client.send({ id: '00000000-0002', content: 'Again.' });
  await client.find('"id":"00000000-0002"');
  await running.status(id, ['finished'], 2);
  expect(await sent()).toEqual(['00000000-0001', '00000000-0002']);
  expect(running.model.requests).toHaveLength(2);
});

test('the header Idempotency-Key is the id of a message', async () => {
  await using place = await opened([]);
  const { running, id, sent } = place;
  const status = async (key: string) => {
    const headers = { 'X-Session-API-Key': testKey, 'content-type': 'application/json', 'Idempotency-Key': key };
    const request = { method: 'POST', headers, body: JSON.stringify(message('Go.')) };
    return (await running.server.request(`/api/conversations/${id}/events`, request)).status;
  };
  const uuid = '0b3a6f5e-7a52-4d19-9f0c-8a4a6f1f8c11';
  expect(await status(uuid)).toBe(200);
  expect(await status(`"${uuid}"`)).toBe(200);
  expect(await status(uuid.toUpperCase())).toBe(200);
  expect(await sent()).toEqual([uuid]);
  for (const key of ['order 7', 'order 7', '"order 7"']) expect(await status(key)).toBe(200);
  expect(await sent()).toHaveLength(2);
  for (const key of ['', '""', 'k'.repeat(256)]) expect(await status(key)).toBe(422);
});

test('a creation that is repeated stores the first message, with its id, that its process could not store', async () => {
  await using place = await opened([finish]);
  const { running, id, sent } = place;
  const body = { ...requestFor(running.model, running.workspace), conversation_id: id };
  const create = async (initial_message: object) => running.json(200, 'POST', '', { ...body, initial_message });
  await create({ ...go, id: '00000000-0001' });
  await create({ ...go, id: '00000000-0001' });
  await running.status(id, ['finished']);
  expect(await sent()).toEqual(['00000000-0001']);
  await create(go);
  expect(await sent()).toHaveLength(1);
});

test('an id of another event is refused, and one of a message that a person paused starts nothing', async () => {
  await using place = await opened([finish]);
  const { running, id } = place;
  await running.json(200, 'POST', `/${id}/events`, { ...message('Go.'), id: '00000000-0001' });
  await running.json(200, 'POST', `/${id}/pause`);
  await running.json(200, 'POST', `/${id}/events`, { ...go, id: '00000000-0001' });
  await running.status(id, ['paused']);
  expect(running.model.requests).toEqual([]);
  const { items } = await running.json<TestPage<BaseEvent>>(200, 'GET', `/${id}/events/search?kind=PauseEvent`);
  expect((await running.send('POST', `/${id}/events`, { ...go, id: items[0]?.id })).status).toBeGreaterThanOrEqual(400);
});
