import { expect, test } from 'vitest';
import { Conversation, defineAgent } from '@varve/agent';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import { eventFactory } from '@varve/events/testing';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { finish, taskTracker } from '@varve/tools';
import { conversationOrders } from './conversation-search.ts';
import { dashedId } from '../../reference/info/conversation-id.ts';
import { conversationInfo, type ConversationInfo } from '../../reference/info/conversation-info.ts';
import { server } from '../../server.ts';
import { conversationOf, testId } from '../../../test/support/conversation-of.ts';
import { everyItem, get, testKey, type TestPage } from '../../../test/support/requests.ts';

const over = (store: EventStore) => server({ store, keys: [testKey] });

/** Milliseconds that count up from the beginning of 2026. */
function clock(): () => number {
  let ms = Date.UTC(2026, 0, 1);
  return () => (ms += 1000);
}

/** A store with one conversation that an agent of ours has finished. */
async function worked(): Promise<EventStore> {
  const now = clock();
  const store = memoryStore({ now });
  let ids = 0;
  const newId = (): string => `00000000-0000-4000-8000-${String(ids++).padStart(12, '0')}`;
  const usage = { input_tokens: 100, output_tokens: 20, cache_read_tokens: 50 };
  const model = scriptedModel([
    { id: 'reply-1', calls: [{ id: 'call-1', name: 'task_tracker', arguments: { command: 'view' } }], usage },
    { id: 'reply-2', calls: [{ id: 'call-2', name: 'finish', arguments: { message: 'Done.' } }], usage },
  ]);
  const agent = defineAgent({ model, tools: () => [taskTracker(), finish()], budget: { maxIterations: 7 } });
  await using conversation = await Conversation.create({ agent, store, workspace: '/', id: testId(1), now, newId });
  await conversation.send('Look at the list.');
  await conversation.run();
  return store;
}

test('the info of a conversation has the shape of the reference', async () => {
  const response = await get(over(await worked()), `/api/conversations/${testId(1)}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  const info: unknown = await response.json();
  expect(conversationInfo().strict().safeParse(info).error).toBeUndefined();
  await expect(`${JSON.stringify(info, undefined, 2)}\n`).toMatchFileSnapshot(
    '../../../test/golden/conversation-info.json',
  );
});

test.for([testId(1), dashedId(testId(0xab)), dashedId(testId(0xab)).toUpperCase()])(
  'a conversation is found by %s',
  async (id) => {
    const store = memoryStore();
    await conversationOf(store, { id: testId(1) });
    await conversationOf(store, { id: testId(0xab) });
    const info = (await (await get(over(store), `/api/conversations/${id}`)).json()) as ConversationInfo;
    expect(info.id.replaceAll('-', '')).toBe(id.replaceAll('-', '').toLowerCase());
  },
);

test('an unknown conversation is 404, and a text that is no id is 422', async () => {
  const serving = over(memoryStore());
  const unknown = await get(serving, `/api/conversations/${testId(9)}`);
  expect([unknown.status, await unknown.json()]).toEqual([404, { detail: 'Not Found' }]);
  for (const id of ['a b', 'a.b', 'x'.repeat(65), `{${dashedId(testId(1))}}`, 'prepare-for-sandbox-pause']) {
    expect((await get(serving, `/api/conversations/${encodeURIComponent(id)}`)).status).toBe(422);
  }
});

test('a conversation with a name of a person is found, listed and counted', async () => {
  const store = memoryStore();
  await conversationOf(store, { id: 'large-refactor' });
  const serving = over(store);
  const info = (await (await get(serving, '/api/conversations/large-refactor')).json()) as ConversationInfo;
  expect(info.id).toBe('large-refactor');
  const page = (await (await get(serving, '/api/conversations/search')).json()) as TestPage<ConversationInfo>;
  expect(page.items.map(({ id }) => id)).toEqual(['large-refactor']);
  expect(await (await get(serving, '/api/conversations/count')).json()).toBe(1);
});

test('the latest update in a log of the reference takes precedence over its configuration', async () => {
  const { stamp, user } = eventFactory();
  const update = (key: string, value: unknown) => ConversationStateUpdateEvent.create({ key, value }, stamp());
  const message = user('Hi.');
  const metrics = { accumulated_cost: 0.5, model_name: 'gpt-x', max_budget_per_task: null };
  const usage = { prompt_tokens: 300, completion_tokens: 50, per_turn_token: 120, context_window: 1000 };
  const store = memoryStore();
  await conversationOf(store, {
    meta: {
      title: 'Given at the start',
      workspace: { working_dir: '/srv/w', kind: 'LocalWorkspace' },
      tags: { a: 'b' },
      max_iterations: 'many',
      confirmation_policy: { kind: 'NeverConfirm' },
      forked_from_conversation_id: testId(7),
    },
    events: [
      message,
      update('confirmation_policy', { kind: 'AlwaysConfirm' }),
      update('execution_status', 'paused'),
      update('title', 'Given later'),
      update('stats', { usage_to_metrics: { agent: { ...metrics, accumulated_token_usage: usage } } }),
    ],
  });
  expect(await (await get(over(store), `/api/conversations/${testId(1)}`)).json()).toMatchObject({
    title: 'Given later',
    workspace: { working_dir: '/srv/w' },
    tags: { a: 'b' },
    max_iterations: 500,
    confirmation_policy: { kind: 'AlwaysConfirm' },
    forked_from_conversation_id: dashedId(testId(7)),
    execution_status: 'paused',
    last_user_message_id: message.id,
    leaf_event_id: message.id,
    stats: {
      usage_to_metrics: {
        agent: {
          model_name: 'gpt-x',
          accumulated_cost: 0.5,
          accumulated_token_usage: { prompt_tokens: 300, per_turn_token: 120, context_window: 1000 },
        },
      },
    },
  });
});

test('an agent of the reference is sent without its secrets, and with its skills on request', async () => {
  const agent = {
    llm: { model: 'm', api_key: 'sk-1', aws_secret_access_key: 'sk-2', max_output_tokens: 5 },
    condenser: { kind: 'LLMSummarizingCondenser', llm: { model: 'm', api_key: 'sk-3' } },
    mcp_config: { docs: { url: 'https://docs.example', headers: { 'X-Any': 'sk-4' }, auth: { token: 'sk-5' } } },
    agent_context: { skills: [{ name: 'git' }], secrets: { DEPLOY: 'sk-6' } },
    kind: 'Agent',
  };
  const store = memoryStore();
  await conversationOf(store, { meta: { agent, security_analyzer: { api_key: 'sk-7', kind: 'GraySwanAnalyzer' } } });
  const path = `/api/conversations/${testId(1)}`;
  const plain = await (await get(over(store), path)).text();
  expect(plain).not.toContain('sk-');
  expect(JSON.parse(plain)).toMatchObject({
    agent: {
      llm: { model: 'm', api_key: null, max_output_tokens: 5 },
      mcp_config: { docs: { headers: { 'X-Any': '**********' }, auth: { token: null } } },
      agent_context: { skills: [] },
    },
    security_analyzer: { api_key: null, kind: 'GraySwanAnalyzer' },
  });
  const whole = await (await get(over(store), `${path}?include_skills=true`)).json();
  expect(whole).toMatchObject({ agent: { agent_context: { skills: [{ name: 'git' }] } } });
});

test('the innermost model of nested wrappers is returned', async () => {
  const store = memoryStore();
  const model = { kind: 'retry', attempts: 3, model: { kind: 'openai-chat', model: 'gpt', baseUrl: 'http://m/v1' } };
  await conversationOf(store, { meta: { agent: { model, kind: 'Agent' } } });
  const info = await (await get(over(store), `/api/conversations/${testId(1)}`)).json();
  expect(info).toMatchObject({ agent: { llm: { model: 'gpt', base_url: 'http://m/v1', api_key: null } } });
});

/** Conversations created in the order of their ids, and updated in the opposite order; every fifth is finished. */
async function many(count: number): Promise<EventStore> {
  const store = memoryStore({ now: clock() });
  for (let number = 0; number < count; number++) {
    await conversationOf(store, { id: testId(number), meta: { status: number % 5 === 0 ? 'finished' : 'idle' } });
  }
  for (let number = count - 1; number >= 0; number--) {
    await using log = await store.open(testId(number));
    await log.append([], { meta: { status: number % 5 === 0 ? 'finished' : 'idle' } });
  }
  return store;
}

const numbersOf = (items: readonly ConversationInfo[]) =>
  items.map(({ id }) => Number.parseInt(id.replaceAll('-', ''), 16));

test('paging returns each of 250 conversations once, in each order', async () => {
  const serving = over(await many(250));
  const upwards = Array.from({ length: 250 }, (_, number) => number);
  const orders = {
    CREATED_AT: upwards,
    CREATED_AT_DESC: upwards.toReversed(),
    UPDATED_AT: upwards.toReversed(),
    UPDATED_AT_DESC: upwards,
  };
  for (const [order, expected] of Object.entries(orders)) {
    const items = await everyItem<ConversationInfo>(serving, `/api/conversations/search?limit=60&sort_order=${order}`);
    expect(numbersOf(items)).toEqual(expected);
  }
  expect(numbersOf(await everyItem(serving, '/api/conversations/search'))).toEqual(upwards.toReversed());
});

test.for(['UPDATED_AT_DESC', 'CREATED_AT_DESC'])(
  'paging by status in the order %s shows only that one',
  async (order) => {
    const serving = over(await many(30));
    const path = `/api/conversations/search?limit=4&status=finished&sort_order=${order}`;
    const numbers = numbersOf(await everyItem<ConversationInfo>(serving, path));
    expect(numbers.toSorted((a, b) => a - b)).toEqual([0, 5, 10, 15, 20, 25]);
  },
);

test('a page names the first conversation of the next one, and an unknown name means the first page', async () => {
  const serving = over(await many(3));
  const page = async (query: string) =>
    (await (await get(serving, `/api/conversations/search?${query}`)).json()) as TestPage<ConversationInfo>;
  expect((await page('limit=2')).next_page_id).toBe(testId(0));
  expect(numbersOf((await page(`page_id=${dashedId(testId(1))}`)).items)).toEqual([1, 0]);
  expect(numbersOf((await page('page_id=unknown&limit=1')).items)).toEqual([2]);
  expect((await page('limit=3')).next_page_id).toBeNull();
});

/** Counts the summaries that a store lists. */
function countListed(store: EventStore): { count: number } {
  const listed = { count: 0 };
  const list = store.list.bind(store);
  store.list = async (query) => {
    const page = await list(query);
    listed.count += page.items.length;
    return page;
  };
  return listed;
}

test.for(conversationOrders)('a page in the order %s reads one more summary than it returns', async (order) => {
  const store = await many(50);
  const serving = over(store);
  const listed = countListed(store);
  for (const [query, count] of [
    ['limit=20', 21],
    [`limit=4&page_id=${testId(25)}`, 5],
    ['limit=2&status=finished', 3],
  ] as const) {
    listed.count = 0;
    await get(serving, `/api/conversations/search?sort_order=${order}&${query}`);
    expect(listed.count).toBe(count);
  }
});

test('counting reads no summary that has a status', async () => {
  const store = await many(50);
  const serving = over(store);
  const listed = countListed(store);
  await get(serving, '/api/conversations/count');
  expect(await (await get(serving, '/api/conversations/count?status=finished')).text()).toBe('10');
  expect(listed.count).toBe(0);
});

test('pages in the order of creation stay the same while conversations change and are added', async () => {
  const store = await many(10);
  const serving = over(store);
  const numbers: number[] = [];
  let path: string | undefined = '/api/conversations/search?limit=3';
  for (let added = 100; path !== undefined; added += 1) {
    const page = (await (await get(serving, path)).json()) as TestPage<ConversationInfo>;
    numbers.push(...numbersOf(page.items));
    const next = page.next_page_id;
    path = next === null ? undefined : `/api/conversations/search?limit=3&page_id=${next}`;
    await conversationOf(store, { id: testId(added) });
    await using log = await store.open(next ?? testId(0));
    await log.append([], { meta: { status: 'running' } });
  }
  expect(numbers).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
});

test('a page of the last update starts where its first conversation is now', async () => {
  const store = await many(6);
  const serving = over(store);
  const page = async (query: string) =>
    (await (
      await get(serving, `/api/conversations/search?sort_order=UPDATED_AT_DESC&limit=3&${query}`)
    ).json()) as TestPage<ConversationInfo>;
  const first = await page('');
  expect([numbersOf(first.items), first.next_page_id]).toEqual([[0, 1, 2], testId(3)]);
  await using log = await store.open(testId(1));
  await log.append([], { meta: {} });
  expect(numbersOf((await page(`page_id=${testId(3)}`)).items)).toEqual([3, 4, 5]);
  await using moved = await store.open(testId(3));
  await moved.append([], { meta: {} });
  expect(numbersOf((await page(`page_id=${testId(3)}`)).items)).toEqual([3, 1, 0]);
});

test('count returns all conversations, or those of a status', async () => {
  const serving = over(await many(12));
  const count = async (query: string) => (await get(serving, `/api/conversations/count${query}`)).text();
  expect(await count('')).toBe('12');
  expect(await count('?status=finished')).toBe('3');
  expect(await count('?status=running')).toBe('0');
});

test('a conversation whose id no request leads to is not listed, and is counted', async () => {
  const store = memoryStore();
  for (const id of ['search', testId(1).replace('1', 'A'), dashedId(testId(3)), testId(2)])
    await conversationOf(store, { id });
  const serving = over(store);
  expect(numbersOf(await everyItem<ConversationInfo>(serving, '/api/conversations/search'))).toEqual([2]);
  expect(await (await get(serving, '/api/conversations/count')).text()).toBe('4');
});

test('without a status in the listing, the log decides', async () => {
  const { stamp } = eventFactory();
  const store = memoryStore();
  const events = [ConversationStateUpdateEvent.create({ key: 'execution_status', value: 'stuck' }, stamp())];
  await conversationOf(store, { events });
  const serving = over(store);
  expect(await (await get(serving, '/api/conversations/count?status=stuck')).text()).toBe('1');
  expect(await (await get(serving, '/api/conversations/count?status=idle')).text()).toBe('0');
  const search = '/api/conversations/search?status=';
  expect(numbersOf(await everyItem<ConversationInfo>(serving, `${search}stuck`))).toEqual([1]);
  expect(numbersOf(await everyItem<ConversationInfo>(serving, `${search}idle`))).toEqual([]);
});

test('a conversation removed during a listing is omitted', async () => {
  const { user } = eventFactory();
  const store = memoryStore();
  await conversationOf(store, { id: testId(1), events: [user('Hi.')] });
  await conversationOf(store, { id: testId(2), events: [user('Hi.')] });
  const list = store.list.bind(store);
  store.list = async (query) => {
    const page = await list(query);
    await store.remove(testId(1)).catch(() => undefined);
    return page;
  };
  const response = await get(over(store), '/api/conversations/search');
  expect(response.status).toBe(200);
  expect(numbersOf(((await response.json()) as TestPage<ConversationInfo>).items)).toEqual([2]);
});

test('reading takes no lease', async () => {
  const store = await worked();
  await using writer = await store.open(testId(1));
  expect(writer.epoch).toBe(2);
  expect((await get(over(store), `/api/conversations/${testId(1)}`)).status).toBe(200);
  expect((await get(over(store), `/api/conversations/${testId(1)}/events/search`)).status).toBe(200);
});

test('conversations are returned in the order of the ids, with null for unknown ones', async () => {
  const store = memoryStore();
  for (const number of [1, 2]) await conversationOf(store, { id: testId(number) });
  const serving = server({ store, keys: [testKey] });
  const ids = [2, 7, 1].map((number) => `ids=${dashedId(testId(number))}`).join('&');
  const infos = (await (await get(serving, `/api/conversations?${ids}`)).json()) as ({ readonly id: string } | null)[];
  expect(infos.map((info) => info?.id ?? null)).toEqual([dashedId(testId(2)), null, dashedId(testId(1))]);
  expect((await get(serving, '/api/conversations')).status).toBe(422);
});
