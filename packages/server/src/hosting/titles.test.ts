import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { editSettings, settingsPaths, userSettingsPath } from '@varve/settings';
import { memoryStore, type EventStore } from '@varve/storage';
import { expect, test } from 'vitest';
import { homeServer } from '../../test/support/home-server.ts';
import { message, requestFor } from '../../test/support/running-server.ts';

const finish: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

/** Resolves when the log of a conversation contains a text. */
async function until(store: EventStore, id: string, part: string): Promise<void> {
  const aborting = new AbortController();
  const log = await store.read(id.replaceAll('-', ''));
  for await (const { text } of log.tail(0, aborting.signal)) {
    if (text.includes(part)) return aborting.abort();
  }
}

const ended = '"key":"execution_status","value":"finished"';

/** A server with one model for agents and one for titles. */
async function titled(titles: readonly ScriptedTurn[]) {
  const store = memoryStore();
  const home = homeServer({ store });
  const resources = new AsyncDisposableStack();
  const agent = resources.use(await scriptedServer([finish, finish, finish]));
  const writer = resources.use(await scriptedServer(titles));
  const llm = { model: 'openai/titles', base_url: writer.url, api_key: 'sk-of-the-titles', num_retries: 0 };
  await home.call(201, 'POST', '/api/profiles/titles', { llm });
  const base = '/api/conversations';
  const create = async (body: object = {}): Promise<string> => {
    const request = { ...requestFor(agent, home.project), initial_message: message('Repair the tests.'), ...body };
    return String((await home.call(201, 'POST', base, request))['id']);
  };
  return {
    ...home,
    store,
    agent,
    writer,
    create,
    titleOf: async (id: string) => (await home.call(200, 'GET', `${base}/${id}`))['title'],
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

test('the model of the profile that a request names writes the title from the first message', async () => {
  await using server = await titled([{ text: '🐛 Tests repaired' }]);
  const id = await server.create({ title_llm_profile: 'titles' });
  await until(server.store, id, '🐛 Tests repaired');
  expect(await server.titleOf(id)).toBe('🐛 Tests repaired');
  expect(JSON.stringify(server.writer.requests[0])).toContain('Repair the tests.');
  const { stats } = await server.call(200, 'GET', `/api/conversations/${id}`);
  expect(stats).toMatchObject({ usage_to_metrics: { title: { model_name: expect.stringContaining('titles') } } });
});

test('the setting of the role writes titles of requests without a profile; clients that want none get none', async () => {
  await using server = await titled([{ text: 'Of the role' }]);
  const plain = await server.create();
  await until(server.store, plain, ended);
  expect([await server.titleOf(plain), server.writer.requests.length]).toEqual(['Repair the tests.', 0]);
  const file = { path: await userSettingsPath(server.home), lockFile: settingsPaths(server.home).lockFile };
  await editSettings({ ...file, layer: 'user' }, { 'roles.title': 'titles' });
  const silent = await server.create({ autotitle: false });
  await until(server.store, silent, ended);
  expect([await server.titleOf(silent), server.writer.requests.length]).toEqual(['Repair the tests.', 0]);
  const written = await server.create();
  await until(server.store, written, 'Of the role');
  expect(await server.titleOf(written)).toBe('Of the role');
});

test('a title that the client set is kept, and a failing model leaves the first line', async () => {
  await using server = await titled([{ text: 'Not this one' }]);
  const named = await server.create({ initial_message: null, title_llm_profile: 'titles' });
  await server.call(200, 'PATCH', `/api/conversations/${named}`, { title: 'Mine' });
  await server.call(200, 'POST', `/api/conversations/${named}/events`, message('Go.', true));
  await until(server.store, named, ended);
  expect([await server.titleOf(named), server.writer.requests.length]).toEqual(['Mine', 0]);
  await server.writer[Symbol.asyncDispose]();
  const failing = await server.create({ title_llm_profile: 'titles' });
  await until(server.store, failing, ended);
  expect(await server.titleOf(failing)).toBe('Repair the tests.');
});
