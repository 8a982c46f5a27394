import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageEvent } from '@varve/events/kinds';
import type { ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, StorageError } from '@varve/storage';
import { wrapStore } from '@varve/storage/kit';
import { expect, onTestFinished, test } from 'vitest';
import type { ConversationInfo } from '../reference/info/conversation-info.ts';
import { message, requestFor, runningServer } from '../../test/support/running-server.ts';

const finish: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const id = '00000000-0000-4000-8000-000000000001';

/** Lets work in memory proceed; what waits for this still waits. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
}

/** Returns the statuses of responses, in order of their size. */
function statusesOf(responses: readonly Response[]): readonly number[] {
  return responses.map(({ status }) => status).toSorted((a, b) => a - b);
}

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'varve-concurrent-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test.for([{}, { initial_message: message('Go.') }, { worktree: true }, { worktree: true, tags: { a: 'b' } }])(
  'of concurrent creations of one id one creates, and the others find it: %j',
  async (body) => {
    await using running = await runningServer([finish], { home: newDirectory() });
    const git = ['-C', running.workspace, '-c', 'user.name=a', '-c', 'user.email=a@b.example'];
    execFileSync('git', ['-C', running.workspace, 'init', '--quiet']);
    execFileSync('git', [...git, 'commit', '--allow-empty', '--quiet', '-m', 'First.']);
    const request = { ...requestFor(running.model, running.workspace), ...body, conversation_id: id };
    const responses = await Promise.all([1, 2, 3, 4].map(() => running.send('POST', '', request)));
    expect(statusesOf(responses)).toEqual([200, 200, 200, 201]);
    const { items } = await running.json<{ items: unknown[] }>(200, 'GET', '/search');
    expect(items).toHaveLength(1);
    if (!body.initial_message) return;
    await running.status(id, ['finished']);
    expect((await running.events(id)).filter((event) => MessageEvent.is(event))).toHaveLength(1);
  },
);

test('of concurrent forks with one id one is made', async () => {
  await using running = await runningServer([]);
  const { id: origin } = await running.create();
  const fork = () => running.send('POST', `/${origin}/fork`, { id });
  const responses = await Promise.all([fork(), fork(), fork()]);
  expect(statusesOf(responses)).toEqual([201, 409, 409]);
});

test('a creation succeeds while another request looks for its id', async () => {
  const store = memoryStore();
  const created = Promise.withResolvers<void>();
  let calls = 0;
  const slow = wrapStore(store, {
    async summary(asked) {
      calls += 1;
      if (calls > 1) return store.summary(asked).finally(created.resolve);
      const summary = store.summary(asked);
      summary.catch(() => undefined);
      await created.promise;
      await turns();
      return summary;
    },
  });
  await using running = await runningServer([], { store: slow });
  mkdirSync(join(running.workspace, '.git'));
  const sent = running.send('POST', `/${id}/events`, message('Go.'));
  await turns();
  const request = { ...requestFor(running.model, running.workspace), conversation_id: id };
  expect((await running.send('POST', '', request)).status).toBe(201);
  expect((await sent).status).toBe(404);
});

test('of two servers that create one id, the one that creates it decides about its keys', async () => {
  const home = newDirectory();
  const store = memoryStore();
  const both = Promise.withResolvers<void>();
  let looking = 0;
  const together = wrapStore(store, {
    async summary(asked) {
      looking += 1;
      if (looking === 2) both.resolve();
      await both.promise;
      return store.summary(asked);
    },
  });
  await using first = await runningServer([finish], { store: together, home });
  await using other = await runningServer([], { store: together, home });
  const servers = [first, other];
  const responses = await Promise.all(
    servers.map((server, index) => {
      const { agent, ...rest } = requestFor(first.model, first.workspace);
      const llm = { ...agent.llm, api_key: `sk-of-server-${index}` };
      return server.send('POST', '', { ...rest, agent: { ...agent, llm }, conversation_id: id });
    }),
  );
  expect(statusesOf(responses)).toEqual([200, 201]);
  const winner = responses.findIndex(({ status }) => status === 201);
  // The next server opens it with what is stored.
  await servers[winner]?.server[Symbol.asyncDispose]();
  await using next = await runningServer([], { store, home });
  await next.json(200, 'POST', `/${id}/events`, message('Go.', true));
  await next.status(id, ['finished']);
  expect(first.model.requests[0]?.headers['authorization']).toBe(`Bearer sk-of-server-${winner}`);
});

test('a request during a creation that another server precedes gets what it gets later', async () => {
  const store = memoryStore();
  await using first = await runningServer([], { store });
  let sent: Promise<Response> | undefined;
  const preceded = wrapStore(store, {
    async create(...args) {
      sent = second.send('POST', `/${id}/events`, message('Go.'));
      await turns();
      await first.create({ conversation_id: id });
      return store.create(...args);
    },
  });
  await using second = await runningServer([], { store: preceded });
  const request = { ...requestFor(second.model, second.workspace), conversation_id: id };
  expect((await second.send('POST', '', request)).status).toBe(200);
  const response = await sent;
  expect(response?.status).toBe(404);
  expect(await response?.json()).toEqual({ detail: expect.stringContaining('is held by') as unknown });
});

test('a conversation whose private values cannot be stored is removed, and its id is free', async () => {
  const home = newDirectory();
  const store = memoryStore();
  await using running = await runningServer([], { store, home });
  const request = { ...requestFor(running.model, running.workspace), conversation_id: id };
  writeFileSync(join(home, 'conversations'), 'In place of a directory.');
  expect((await running.send('POST', '', request)).status).toBe(500);
  await expect(store.summary(id.replaceAll('-', ''))).rejects.toMatchObject({ code: 'missing' });
  rmSync(join(home, 'conversations'));
  expect((await running.send('POST', '', request)).status).toBe(201);
});

test('a conversation is removed while other requests use it, and none of them opens it before', async () => {
  const store = memoryStore();
  let others: readonly Promise<Response>[] = [];
  const removing = wrapStore(store, {
    async remove(asked) {
      others = ['/run', '/pause', '/events', '/fork'].map((path) =>
        running.send('POST', `/${id}${path}`, path === '/events' ? message('Go.', true) : undefined),
      );
      await turns();
      return store.remove(asked);
    },
  });
  await using running = await runningServer([], { store: removing });
  await running.create({ conversation_id: id });
  expect((await running.send('DELETE', `/${id}`)).status).toBe(200);
  for (const other of others) expect((await other).status).toBe(404);
  await expect(store.summary(id)).rejects.toBeInstanceOf(StorageError);
  await running.create({ conversation_id: id });
});

test('a removal removes the private values that a killed one has left', async () => {
  const home = newDirectory();
  const path = join(home, 'conversations', `${id.replaceAll('-', '')}.token`);
  await using running = await runningServer([], { home });
  await running.create({ conversation_id: id });
  const left = readFileSync(path);
  await running.json(200, 'DELETE', `/${id}`);
  writeFileSync(path, left);
  await running.json(404, 'DELETE', `/${id}`);
  expect(existsSync(path)).toBe(false);
});

test('a server that stops waits for a removal that has begun', async () => {
  const ends: string[] = [];
  const store = memoryStore();
  const began = Promise.withResolvers<void>();
  const slow = wrapStore(store, {
    async remove(asked) {
      began.resolve();
      await turns();
      await store.remove(asked);
      ends.push('removal');
    },
  });
  await using running = await runningServer([], { store: slow });
  await running.create({ conversation_id: id });
  const removed = running.json(200, 'DELETE', `/${id}`);
  await began.promise;
  await running.server[Symbol.asyncDispose]();
  ends.push('server');
  await removed;
  expect(ends).toEqual(['removal', 'server']);
});

test.for([
  ['/condense', undefined],
  ['/ask_agent', { question: 'Who?' }],
] as const)('%s of a conversation that is removed answers 503', async ([path, body]) => {
  const asked = Promise.withResolvers<void>();
  const think: ScriptedTurn = { calls: [{ name: 'think', arguments: { thought: 'Hm.' } }] };
  const hang = (): ScriptedTurn => {
    asked.resolve();
    return { fault: { kind: 'hang', afterPieces: 0 } };
  };
  await using running = await runningServer([think, think, think, think, finish, hang]);
  const { agent } = requestFor(running.model, running.workspace);
  const condenser = { kind: 'LLMSummarizingCondenser', llm: agent.llm, max_size: 20, keep_first: 1 };
  await running.create({ conversation_id: id, agent: { ...agent, condenser }, initial_message: message('Go.') });
  await running.status(id, ['finished']);
  const answered = running.send('POST', `/${id}${path}`, body);
  await asked.promise;
  await running.json(200, 'DELETE', `/${id}`);
  expect((await answered).status).toBe(503);
});

test('a conversation that another server holds answers 404 with its holder, and stays', async () => {
  const store = memoryStore();
  await using holder = await runningServer([finish], { store });
  await using other = await runningServer([], { store });
  await holder.create({ conversation_id: id });
  const bodies = { '/events': message('Go.'), '/navigate': { event_id: null }, '/ask_agent': { question: 'Who?' } };
  const paths = ['/run', '/pause', '/interrupt', '/fork', '/condense', ...Object.keys(bodies)];
  const held = { detail: expect.stringContaining('is held by') as unknown };
  for (const path of paths) {
    expect(await other.json(404, 'POST', `/${id}${path}`, bodies[path as keyof typeof bodies])).toEqual(held);
  }
  expect(await other.json(404, 'PATCH', `/${id}`, { title: 'Mine.' })).toEqual(held);
  expect(await other.json(404, 'DELETE', `/${id}`)).toEqual(held);
  expect(await other.json<ConversationInfo>(200, 'GET', `/${id}`)).toMatchObject({ id });
  await holder.json(200, 'POST', `/${id}/events`, message('Go.', true));
  await holder.status(id, ['finished']);
});

test('a creation whose message another client already runs has succeeded', async () => {
  const gate = Promise.withResolvers<void>();
  const store = memoryStore();
  let hasRun = false;
  const watched = wrapStore(store, {
    async summary(asked) {
      const summary = await store.summary(asked);
      // The first one that is found is that of the response.
      if (!hasRun) {
        hasRun = true;
        await running.json(200, 'POST', `/${id}/run`);
      }
      return summary;
    },
  });
  await using running = await runningServer([{ ...finish, gate: gate.promise }, finish], { store: watched });
  await running.create({ conversation_id: id, initial_message: message('Go.') });
  gate.resolve();
  await running.status(id, ['finished']);
});
