import { expect, test } from 'vitest';
import { testApp } from './support/test-app.ts';
import { deferredInitialization } from '../src/http/deferred/initialization.ts';
import { initKeyHeader } from '../src/http/guards/require-init-key.ts';
import { keyHeader } from '../src/http/route/route-config.ts';
import { workspaceCookie } from '../src/http/guards/workspace-session.ts';
import { testKey } from './support/requests.ts';

/** Routes without a key: health, version, and the description of the routes. */
const open = ['/', '/alive', '/health', '/ready', '/server_info', '/openapi.json'];

/** Routes that check the key themselves: it may be in the query or in the first message. */
const sockets = ['/sockets/events/:conversation_id', '/sockets/bash-events'];

/** The route that configures a server has a key of its own; the state of its start needs none. */
const init = '/api/init';

/** Routes that accept the cookie of a session instead of the key. */
const files = /^\/api\/conversations\/:conversation_id\/workspace(\/|$)/;

const { app } = testApp({});

/** Every route of the app, those of middleware excepted, with values for its parameters. */
const operations = app.routes
  .filter(({ method }) => method !== 'ALL')
  .map(({ method, path }) => ({
    method,
    path,
    name: `${method} ${path}`,
    address: path.replaceAll(/:\w+(\{.+?\})?/g, 'x'),
  }));

/** Other spellings of an address, of which a router may accept some, and guards may not see through others. */
function spellings(address: string): readonly string[] {
  const last = address.at(-1) ?? '';
  const encoded = `%${last.charCodeAt(0).toString(16)}`;
  return [
    `${address}/`,
    `${address}//`,
    `/${address}`,
    `${address}/.`,
    `${address}/x/..`,
    `/.${address}`,
    `/x/..${address}`,
    `${address.slice(0, -1)}${encoded}`,
    `${address}%2f`,
    `${address}%2F`,
    `${address};`,
    `${address}%00`,
    address.toUpperCase(),
    address.replace('/', '/%2e/'),
    address.replaceAll('/', '//'),
    `${address}/?`,
    `${address}#`,
  ];
}

/** Message for a new route without the key. */
const unguarded =
  'Only routes below /api require the key. A route without a key is listed in `open` here and in docs/server.md';

const guarded = operations.filter(({ path }) => ![...open, ...sockets, init].includes(path));

async function statusOf({ method, address }: (typeof operations)[number], headers = {}, query = ''): Promise<number> {
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
  expect([...new Set(operations.filter(({ path }) => open.includes(path)).map(({ path }) => path))].toSorted()).toEqual(
    open.toSorted(),
  );
  expect(operations.filter(({ path }) => sockets.includes(path)).map(({ path }) => path)).toEqual(sockets);
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
      ...(!route.path.endsWith('/events/stream') && {
        'the key in the query': await statusOf(route, {}, `?session_api_key=${testKey}&key=${testKey}`),
      }),
      'the key in a cookie': await statusOf(route, { cookie: `${workspaceCookie}=${testKey}` }),
      ...(!(files.test(route.path) && route.method === 'GET') && { 'a session': await statusOf(route, { cookie }) }),
    };
    expect(refused, unguarded).toEqual(Object.fromEntries(Object.keys(refused).map((name) => [name, 401])));
  },
);

/** Statuses without an effect and without content. */
const harmless = [401, 403, 404, 405];

test.for(guarded.map((route) => [route.name, route] as const))(
  '%s requires the key in every spelling of its address',
  async ([, route]) => {
    for (const address of spellings(route.address)) {
      const status = await statusOf({ ...route, address });
      expect([address, harmless.includes(status) ? 'refused' : status], unguarded).toEqual([address, 'refused']);
    }
  },
);

test('the initialization requires its own key in every spelling of its address', async () => {
  let started = 0;
  const start = async (): Promise<void> => void (started += 1);
  const initialization = deferredInitialization({ isKey: (key) => key === testKey, start });
  const { app: waiting } = testApp({}, initialization);
  for (const address of [init, ...spellings(init)]) {
    for (const header of ['x-none', keyHeader, 'authorization']) {
      const headers = { 'content-type': 'application/json', [header]: testKey };
      const { status } = await waiting.request(address, { method: 'POST', headers, body: '{}' });
      expect([address, [...harmless, 503].includes(status) ? 'refused' : status]).toEqual([address, 'refused']);
    }
  }
  expect(started).toBe(0);
  const headers = { 'content-type': 'application/json', [initKeyHeader]: testKey };
  expect((await waiting.request(`${init}/`, { method: 'POST', headers, body: '{}' })).status).toBe(200);
  expect(started).toBe(1);
});

test('the initialization requires its own key', async () => {
  const [read, write] = ['GET', 'POST'].map((method) => ({ method, path: init, name: '', address: init }));
  if (!read || !write) throw new Error('There are two routes.');
  expect(operations.filter(({ path }) => path === init).map(({ method }) => method)).toEqual(['GET', 'POST']);
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
