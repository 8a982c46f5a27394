import { server } from '@varve/server';
import { postgresStore } from '@varve/storage-postgres';
import { describe, expect, test } from 'vitest';
import { freshUrl, problem } from '../../../packages/storage-postgres/test/server.ts';
import { tcpProxy } from '../../../packages/storage-postgres/test/tcp-proxy.ts';

describe.skipIf(problem !== undefined)('/ready of a server whose store is a database', () => {
  test('is 200 for an outage of some seconds, and 503 for a server that starts in it', async () => {
    const url = new URL(await freshUrl());
    await using proxy = await tcpProxy(Number(url.port));
    url.port = String(proxy.port);
    await using store = await postgresStore({ url: url.href });
    const serving = server({ store, keys: ['key-of-the-test'] });
    const ready = async () => {
      const response = await serving.request('/ready');
      return [response.status, await response.json()];
    };
    expect(await ready()).toEqual([200, { status: 'ready' }]);
    await proxy.cut();
    expect(await ready()).toEqual([200, { status: 'ready' }]);
    expect((await serving.request('/alive')).status).toBe(200);
    const late = server({ store, keys: ['key-of-the-test'] });
    const unready = { status: 'initializing', message: 'The store does not answer.' };
    const response = await late.request('/ready');
    expect([response.status, await response.json()]).toEqual([503, unready]);
    await proxy.restore();
    await expect.poll(async () => (await late.request('/ready')).status, { timeout: 30_000 }).toBe(200);
  });
});
