import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { replicaHeader } from '../replicas/peers.ts';
import { replicaId, shareSettings } from './replica-requests.ts';
import type { ServerEnv } from './route/route.ts';

test('a replica names itself', async () => {
  const app = new Hono<ServerEnv>().use(replicaId({ id: 'of-this-process' })).get('/alive', ({ text }) => text('ok'));
  expect((await app.request('/alive')).headers.get(replicaHeader)).toBe('of-this-process');
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
