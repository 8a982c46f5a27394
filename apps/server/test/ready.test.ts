import { server } from '@varve/server';
import { postgresStore } from '@varve/storage-postgres';
import { describe, expect, test } from 'vitest';
import { freshUrl, problem } from '../../../packages/storage-postgres/test/server.ts';
import { tcpProxy } from '../../../packages/storage-postgres/test/tcp-proxy.ts';

describe.skipIf(problem !== undefined)('/ready of a server whose store is a database', () => {
  test('is 503 while the database cannot be reached, and 200 again after that', async () => {
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
    expect(await ready()).toEqual([503, { status: 'initializing', message: 'The store does not answer.' }]);
    expect((await serving.request('/alive')).status).toBe(200);
    await proxy.restore();
    await expect.poll(ready, { timeout: 30_000 }).toEqual([200, { status: 'ready' }]);
  });
});
