import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { expect, test } from 'vitest';
import { forwardedHeader, peerSignature } from '../replicas/peer-signature.ts';
import { replicaHeader } from '../replicas/peers.ts';
import { requireKey } from './guards/require-key.ts';
import { listen } from './listen.ts';
import { copiedRequest, replicaId, shareSettings } from './replica-requests.ts';
import { accessOf, type ServerEnv } from './route/route.ts';

test('a replica names itself', async () => {
  const app = new Hono<ServerEnv>().use(replicaId({ id: 'of-this-process' })).get('/alive', ({ text }) => text('ok'));
  expect((await app.request('/alive')).headers.get(replicaHeader)).toBe('of-this-process');
});

test('the body of a request without a length is limited, and can be read', async () => {
  const app = new Hono<ServerEnv>().use(copiedRequest, bodyLimit({ maxSize: 10 }));
  app.all('*', async ({ req, text }) => text(await req.raw.clone().text()));
  await using listening = await listen({ fetch: app.fetch, host: '127.0.0.1', port: 0, onStop: async () => undefined });
  const ask = async (method: string, body = '') => {
    const stream = ReadableStream.from([Buffer.from(body)]);
    const response = await fetch(listening.url, { method, body: stream, duplex: 'half' });
    return [response.status, await response.text()];
  };
  expect([await ask('DELETE'), await ask('PATCH', 'short')]).toEqual([
    [200, ''],
    [200, 'short'],
  ]);
  expect(await ask('POST', 'longer than that')).toEqual([413, expect.anything()]);
});

test.for([
  ['GET', '/api/settings', ['pull']],
  ['PUT', '/api/settings/secrets', ['change']],
  // The first list adds a profile.
  ['GET', '/api/agent-profiles', ['change']],
  ['GET', '/api/agent-profiles/default', ['pull']],
  ['POST', '/api/conversations', ['pull']],
  ['GET', '/api/conversations/search', []],
  ['POST', '/api/bash/execute_bash_command', ['pull']],
  // An agent may answer for minutes: no change of settings waits for it.
  ['POST', '/v1/chat/completions', ['pull']],
] as const)('%s %s reads or changes the shared settings: %j', async ([method, path, expected]) => {
  const used: string[] = [];
  const settings = {
    async pull() {
      used.push('pull');
    },
    async change(change: () => Promise<unknown>) {
      used.push('change');
      await change();
      return true;
    },
  };
  const app = new Hono<ServerEnv>().use(shareSettings({ settings })).all('*', (context) => context.text('ok'));
  expect(await (await app.request(path, { method })).text()).toBe('ok');
  expect(used).toEqual(expected);
});

test('a request that a replica forwarded has the rights that it was accepted with, and no others', async () => {
  const signature = peerSignature('passphrase', Date.now);
  const guard = requireKey({
    authenticate: async () => undefined,
    isWorkspaceSession: () => undefined,
    forwardedAccess: signature.accessOf,
  });
  const app = new Hono<ServerEnv>().use(guard).all('*', (context) => context.json(accessOf(context)));
  const url = '/api/conversations/c/run';
  const access = { owner: 'alice', scopes: ['run'] } as const;
  const ask = async (method: string, headers: Record<string, string>) => app.request(url, { method, headers });
  const signed = (method: string) => ({ [forwardedHeader]: signature.sign({ method, url }, new Uint8Array(), access) });
  expect(await (await ask('POST', signed('POST'))).json()).toEqual(access);
  expect((await ask('GET', signed('GET'))).status).toBe(403);
  expect((await ask('GET', signed('POST'))).status).toBe(401);
  expect((await ask('POST', { [forwardedHeader]: '1' })).status).toBe(401);
});
