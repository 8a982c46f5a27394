import { once } from 'node:events';
import { mkdtempDisposable, readdir, rm } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as streamText } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { text, type BaseEvent } from '@varve/events';
import { leafKey, maskFact } from '@varve/events/facts';
import { ConversationStateUpdateEvent, MessageEvent } from '@varve/events/kinds';
import { eventFactory } from '@varve/events/testing';
import { memoryStore } from '@varve/storage';
import { directoryStore } from '@varve/storage/directory';
import { dashedId } from '../../reference/info/conversation-id.ts';
import { server, type Server } from '../../server.ts';
import { conversationOf, rowsOf, testId } from '../../../test/support/conversation-of.ts';
import { everyItem, get, testKey, type TestPage } from '../../../test/support/requests.ts';

/** Timestamp second of all events of the factory. */
const noon = '2026-01-01T12:00:00';

const path = `/api/conversations/${testId(1)}/events`;

async function over(events: readonly BaseEvent[]): Promise<Server> {
  const store = memoryStore();
  await conversationOf(store, { events });
  return server({ store, keys: [testKey] });
}

async function idsOf(serving: Server, query: string): Promise<readonly string[]> {
  return (await everyItem<BaseEvent>(serving, `${path}/search${query}`)).map(({ id }) => id);
}

const ids = (events: readonly BaseEvent[]) => events.map(({ id }) => id);

test('events are sent byte for byte as they are stored', async () => {
  const odd =
    '{ "id":"ev\\u0065nt-1","timestamp":"2026-01-01T00:00:00.000001","cost":8.0,"new":null,"kind":"FutureEvent" }';
  const broken = '{"id":"event-2","kind":"MessageEvent","llm_message":"é</script>"}';
  const store = memoryStore();
  await using log = await store.create(testId(1), {});
  await log.append([
    { id: 'event-1', kind: 'FutureEvent', parentId: undefined, text: odd },
    { id: 'event-2', kind: 'MessageEvent', parentId: undefined, text: broken },
    { id: 'event-3', kind: '', parentId: undefined, text: '{"torn' },
  ]);
  const serving = server({ store, keys: [testKey] });
  const search = await get(serving, `${path}/search`);
  expect(await search.text()).toBe(`{"items":[${odd},${broken}],"next_page_id":null}`);
  expect(search.headers.get('content-type')).toBe('application/json');
  expect(await (await get(serving, `${path}/event-1`)).text()).toBe(odd);
});

test.for(['{"torn', '<script>alert(1)</script>', '', 'null', '7', '["a"]', '{"a":1}{"b":2}', '\u001B]0;x\u0007'])(
  'the text %j is not sent as JSON, as an event or in a search',
  async (stored) => {
    const store = memoryStore();
    await using log = await store.create(testId(1), {});
    await log.append([{ id: 'event-1', kind: 'MessageEvent', parentId: undefined, text: stored }]);
    const serving = server({ store, keys: [testKey] });
    const response = await get(serving, `${path}/event-1`);
    expect([response.status, await response.json()]).toEqual([404, { detail: 'Not Found' }]);
    expect(await (await get(serving, `${path}/search`)).json()).toEqual({ items: [], next_page_id: null });
  },
);

test('varve facts are omitted from searches, updates of the reference are not', async () => {
  const { stamp, user } = eventFactory();
  const [message, fact] = [user('Hi.'), maskFact.create({ event_ids: [], text: 'Shortened.' }, stamp())];
  const update = ConversationStateUpdateEvent.create({ key: leafKey, value: message.id }, stamp());
  const serving = await over([message, fact, update]);
  expect(await idsOf(serving, '')).toEqual([message.id, update.id]);
  expect(await idsOf(serving, '?kind=ConversationStateUpdateEvent')).toEqual([update.id]);
  expect(await idsOf(serving, '?source=environment&sort_order=TIMESTAMP_DESC')).toEqual([update.id]);
  expect(await (await get(serving, `${path}/${fact.id}`)).text()).toBe(JSON.stringify(fact));
});

test('paging returns each of 1,000 events once, forwards and backwards', async () => {
  const { user, agent } = eventFactory();
  const events = Array.from({ length: 1000 }, (_, index) => (index % 3 === 0 ? user : agent)(`Number ${index}.`));
  const serving = await over(events);
  expect(await idsOf(serving, '')).toEqual(ids(events));
  expect(await idsOf(serving, '?limit=70&sort_order=TIMESTAMP_DESC')).toEqual(ids(events).toReversed());
  const ofUser = ids(events.filter(({ source }) => source === 'user'));
  expect(await idsOf(serving, '?limit=33&source=user')).toEqual(ofUser);
  expect(await idsOf(serving, '?limit=33&source=user&sort_order=TIMESTAMP_DESC')).toEqual(ofUser.toReversed());
});

test('a page starts with its page id, and an unknown page id means the first page', async () => {
  const { user } = eventFactory();
  const events = [user('One.'), user('Two.'), user('Three.')];
  const serving = await over(events);
  const page = async (query: string) =>
    (await (await get(serving, `${path}/search?${query}`)).json()) as TestPage<BaseEvent>;
  expect((await page('limit=2')).next_page_id).toBe(events[2]?.id);
  expect(ids((await page(`page_id=${events[1]?.id}`)).items)).toEqual(ids(events.slice(1)));
  expect(ids((await page(`page_id=${events[1]?.id}&sort_order=TIMESTAMP_DESC`)).items)).toEqual(
    ids(events.slice(0, 2).toReversed()),
  );
  expect(ids((await page('page_id=unknown')).items)).toEqual(ids(events));
});

test('a kind is a class name, with or without the path of the reference', async () => {
  const { prompt, user, call, result } = eventFactory();
  const events = [prompt(), user('Hi.'), call('call-1'), result(0)];
  const serving = await over(events);
  for (const kind of ['MessageEvent', 'openhands.sdk.event.llm_convertible.message.MessageEvent']) {
    expect(await idsOf(serving, `?kind=${kind}`)).toEqual([events[1]?.id]);
  }
  expect(await idsOf(serving, '?kind=Message')).toEqual([]);
  expect(await idsOf(serving, '?kind=&source=&body=')).toEqual(ids(events));
});

test('a body is searched in the text of messages, case-insensitively', async () => {
  const { user, call, stamp } = eventFactory();
  const thought = MessageEvent.create(
    {
      source: 'agent',
      llm_message: { role: 'assistant', content: [], reasoning_content: 'The NEEDLE is in here.' },
      extended_content: [text('Haystack.')],
    },
    stamp(),
  );
  const events = [user('Find the needle!'), thought, call('needle'), user('Nothing.')];
  const serving = await over(events);
  expect(await idsOf(serving, '?body=Needle')).toEqual(ids(events.slice(0, 2)));
  expect(await idsOf(serving, '?body=haystack')).toEqual([thought.id]);
});

test('timestamp__gte is inclusive and timestamp__lt exclusive', async () => {
  const { user } = eventFactory();
  const events = [user('0'), user('1'), user('2'), user('3')];
  const serving = await over(events);
  expect(await idsOf(serving, `?timestamp__gte=${noon}.000001&timestamp__lt=${noon}.000003`)).toEqual(
    ids(events.slice(1, 3)),
  );
  expect(await idsOf(serving, `?timestamp__gte=${noon}`)).toEqual(ids(events));
  expect(await idsOf(serving, `?timestamp__lt=${noon}`)).toEqual([]);
});

test('an instant with a zone is converted to local time', async () => {
  const { user } = eventFactory();
  const events = [user('0'), user('1'), user('2')];
  const serving = await over(events);
  const utc = new Date(noon).toISOString().replace(/\.000Z$/, '.000001Z');
  expect(await idsOf(serving, `?timestamp__gte=${utc}`)).toEqual(ids(events.slice(1)));
});

test('events of an unknown conversation and an unknown event are 404', async () => {
  const serving = await over([]);
  const other = `/api/conversations/${testId(2)}/events`;
  for (const unknown of [`${other}/search`, `${other}/x`]) {
    const response = await get(serving, unknown);
    expect([response.status, await response.json()]).toEqual([
      404,
      { detail: `Conversation not found: ${dashedId(testId(2))}` },
    ]);
  }
  const response = await get(serving, `${path}/unknown`);
  expect([response.status, await response.json()]).toEqual([404, { detail: 'Not Found' }]);
});

test('a conversation removed during a read is 404', async () => {
  const store = memoryStore();
  await conversationOf(store, { events: [eventFactory().user('Hi.')] });
  const read = store.read.bind(store);
  store.read = async (id) => {
    const log = await read(id);
    await store.remove(id);
    return log;
  };
  expect((await get(server({ store, keys: [testKey] }), `${path}/search`)).status).toBe(404);
});

test('an event that was just appended is found', async () => {
  const { user } = eventFactory();
  const store = memoryStore();
  await using log = await store.create(testId(1), {});
  const serving = server({ store, keys: [testKey] });
  for (const event of [user('One.'), user('Two.')]) {
    await log.append(rowsOf([event]));
    expect((await idsOf(serving, '')).at(-1)).toBe(event.id);
    const info = await (await get(serving, `/api/conversations/${testId(1)}`)).json();
    expect(info).toMatchObject({ leaf_event_id: event.id, last_user_message_id: event.id });
  }
});

test('a count has the conditions of a search', async () => {
  const { user } = eventFactory();
  const serving = await over([user('One.'), user('Two.')]);
  expect(await (await get(serving, `${path}/count`)).text()).toBe('2');
  expect(await (await get(serving, `${path}/count?body=two`)).text()).toBe('1');
});

test('events are returned in the order of the ids in the body, with null for unknown ones', async () => {
  const { user } = eventFactory();
  const events = [user('One.'), user('Two.')];
  await using listening = await (await over(events)).listen(0);
  const body = JSON.stringify([events[1]?.id, 'unknown', events[0]?.id]);
  const headers = { 'X-Session-API-Key': testKey, 'content-length': body.length };
  const sending = request(`${listening.url}${path}`, { headers });
  sending.end(body);
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  expect(JSON.parse(await streamText(response))).toEqual([
    expect.objectContaining({ id: events[1]?.id }),
    null,
    expect.objectContaining({ id: events[0]?.id }),
  ]);
});

test.for(['search', 'count'])('the %s of a log that lost events is an error that describes the loss', async (route) => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const { user: message } = eventFactory();
  await using store = await directoryStore({ path: directory.path });
  await conversationOf(store, { events: [message('a'), message('b'), message('c')] });
  const folder = join(directory.path, testId(1), 'events');
  const [, second = ''] = (await readdir(folder)).toSorted();
  await rm(join(folder, second));
  const response = await get(server({ store, keys: [testKey] }), `${path}/${route}`);
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({
    detail: 'Internal Server Error',
    exception: expect.stringMatching(/^500: Event 1 of conversation 0+1 is missing; 1 of the later ones/) as unknown,
  });
});

test('a search after a seq continues exactly where an earlier page ended, whatever was stored since', async () => {
  const { user: write, stamp: next } = eventFactory();
  const store = memoryStore();
  const fact = ConversationStateUpdateEvent.create({ key: 'varve.run', value: {} }, next());
  await conversationOf(store, { events: [write('0'), fact, write('2'), write('3')] });
  const serving = server({ store, keys: [testKey] });
  const search = async (query: string) => {
    const response = await get(serving, `/api/conversations/${testId(1)}/events/search?${query}`);
    const { items, ...rest } = (await response.json()) as { readonly items: readonly { readonly id: string }[] };
    return { count: items.length, ...rest };
  };
  expect(await search('after_seq=-1&limit=1')).toMatchObject({ count: 1, last_seq: 1 });
  expect(await search('after_seq=1&limit=1')).toMatchObject({ count: 1, last_seq: 2 });
  expect(await search('after_seq=2')).toEqual({ count: 1, next_page_id: null, last_seq: 3 });
  expect(await search('after_seq=3')).toEqual({ count: 0, next_page_id: null, last_seq: 3 });
  expect(await search('after_seq=1&sort_order=TIMESTAMP_DESC')).toMatchObject({ count: 2, last_seq: 3 });
  expect(await search('')).toEqual({ count: 3, next_page_id: null });
});
