import { expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { createApp } from './app.ts';
import { initKeyHeader } from './guards/require-init-key.ts';
import { keyHeader } from './guards/require-key.ts';
import { workspaceCookie } from './guards/workspace-session.ts';
import { testKey } from './testing/requests.ts';

/** Routes without a key: health, version, and the description of the routes. A new one must be added here. */
const open = ['/', '/alive', '/health', '/ready', '/server_info', '/openapi.json'];

/** Routes that check the key themselves: it may be in the query or in the first message. */
const sockets = ['/sockets/events/:conversation_id', '/sockets/bash-events'];

/** The route that configures a server has a key of its own; the state of its start needs none. */
const init = '/api/init';

/** Routes that accept the cookie of a session instead of the key. */
const files = /^\/api\/conversations\/:conversation_id\/workspace(\/|$)/;

const { app } = createApp({ store: memoryStore(), keys: [testKey] });

/** Every route of the app, those of middleware excepted, with values for its parameters. */
const found = app.routes
  // Each path is also accepted with a slash at its end.
  .filter(({ method, path }) => method !== 'ALL' && !/.\/$/.test(path))
  .map(({ method, path }) => ({
    method,
    path,
    name: `${method} ${path}`,
    address: path.replaceAll(/:\w+(\{.+?\})?/g, 'x'),
  }));
const guarded = found.filter(({ path }) => ![...open, ...sockets, init].includes(path));

async function statusOf({ method, address }: (typeof found)[number], headers = {}, query = ''): Promise<number> {
  return (await app.request(`${address}${query}`, { method, headers })).status;
}

async function sessionCookie(): Promise<string> {
  const response = await app.request('/api/auth/workspace-session', {
    method: 'POST',
    headers: { [keyHeader]: testKey },
  });
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

test('the routes without a key are those that are meant to have none', () => {
  expect([...new Set(found.filter(({ path }) => open.includes(path)).map(({ path }) => path))].toSorted()).toEqual(
    open.toSorted(),
  );
  expect(found.filter(({ path }) => sockets.includes(path)).map(({ path }) => path)).toEqual(sockets);
  expect(guarded.length).toBeGreaterThan(20);
});

test.for(guarded.map((route) => [route.name, route] as const))(
  '%s requires the key in its header',
  async ([, route]) => {
    const cookie = await sessionCookie();
    const refused = {
      'no key': await statusOf(route),
      'an empty key': await statusOf(route, { [keyHeader]: '' }),
      'a wrong key': await statusOf(route, { [keyHeader]: `${testKey}x` }),
      'a bearer that is wrong': await statusOf(route, { authorization: `Bearer ${testKey}x` }),
      'the key in the query': await statusOf(route, {}, `?session_api_key=${testKey}&key=${testKey}`),
      'the key in a cookie': await statusOf(route, { cookie: `${workspaceCookie}=${testKey}` }),
      ...(!(files.test(route.path) && route.method === 'GET') && { 'a session': await statusOf(route, { cookie }) }),
    };
    expect(refused).toEqual(Object.fromEntries(Object.keys(refused).map((name) => [name, 401])));
  },
);

test('the initialization requires its own key', async () => {
  const [read, write] = ['GET', 'POST'].map((method) => ({ method, path: init, name: '', address: init }));
  if (!read || !write) throw new Error('There are two routes.');
  expect(found.filter(({ path }) => path === init).map(({ method }) => method)).toEqual(['GET', 'POST']);
  // 404 for a server that was not started deferred.
  expect(await statusOf(read)).toBe(404);
  for (const headers of [{}, { [keyHeader]: testKey }, { [initKeyHeader]: `${testKey}x` }, { [initKeyHeader]: '' }]) {
    expect(await statusOf(write, headers)).toBe(401);
  }
  expect(await statusOf(write, {}, `?session_api_key=${testKey}`)).toBe(401);
  expect(await statusOf(write, { [initKeyHeader]: testKey })).toBe(422);
});

test.for(guarded.map((route) => [route.name, route] as const))('%s accepts the key', async ([, route]) => {
  expect([401, 403]).not.toContain(await statusOf(route, { [keyHeader]: testKey }));
});

test.for(
  guarded
    .filter(({ path, method }) => files.test(path) && method === 'GET')
    .map((route) => [route.name, route] as const),
)('%s accepts a session', async ([, route]) => {
  expect(await statusOf(route, { cookie: await sessionCookie() })).not.toBe(401);
});
