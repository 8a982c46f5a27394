import { expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import { server } from '../../server.ts';
import type { ServerOptions } from '../../server-options.ts';
import { get, send, testKey } from '../../../test/support/requests.ts';

const started = (options: Partial<ServerOptions> = {}) => server({ store: memoryStore(), keys: [testKey], ...options });

const headers = (id: string) => ({ 'X-Session-API-Key': testKey, 'X-Request-Id': id });

/** Returns the status of a request for metrics. */
async function status(sent: Record<string, string>, options: Partial<ServerOptions> = {}): Promise<number> {
  return (await started(options).request('/metrics', { headers: sent })).status;
}

test('requests are counted and measured by route, without their ids and without unknown paths', async () => {
  const serving = started();
  const id = '0'.repeat(32);
  await get(serving, `/api/conversations/${id}`);
  await get(serving, `/api/conversations/${id.replaceAll('0', '1')}`);
  await get(serving, '/no/such/path');
  await serving.request('/api/conversations/count');
  await get(serving, '/api/conversations/count/');
  await send(serving, 'POST', '/api/bash/execute_bash_command', { command: 'true' });
  const response = await get(serving, '/metrics');
  expect(response.headers.get('content-type')).toContain('text/plain');
  const lines = (await response.text()).split('\n');
  expect(lines.filter((line) => line.startsWith('varve_http_requests_total{')).toSorted()).toEqual([
    'varve_http_requests_total{method="GET",route="/api/conversations/:conversation_id",status="404"} 2',
    'varve_http_requests_total{method="GET",route="/api/conversations/count",status="200"} 1',
    'varve_http_requests_total{method="GET",route="none",status="401"} 1',
    'varve_http_requests_total{method="GET",route="none",status="404"} 1',
    'varve_http_requests_total{method="POST",route="/api/bash/execute_bash_command",status="200"} 1',
  ]);
  expect(lines).toEqual(
    expect.arrayContaining([
      'varve_runs{state="active"} 0',
      'varve_runs{state="waiting"} 0',
      'varve_commands 0',
      'varve_run_oldest_seconds{state="active"} 0',
      'varve_run_oldest_seconds{state="waiting"} 0',
      'varve_leases_expired 0',
      'varve_runs_taken_over_total 0',
      'varve_hand_overs_failed_total 0',
      expect.stringMatching(/^process_resident_memory_bytes \d+$/),
      expect.stringMatching(/^varve_http_request_duration_seconds_count\{.*bash/),
    ]),
  );
  expect(lines.join('')).not.toContain(id);
});

test('metrics require a key, also as a bearer, unless they are open', async () => {
  expect(await status({})).toBe(401);
  expect(await status({ authorization: 'Bearer wrong' })).toBe(401);
  expect(await status({ authorization: `Bearer ${testKey}` })).toBe(200);
  expect(await status({}, { openMetrics: true })).toBe(200);
});

test('the id of a request is in its response and in the log, also for a failure', async () => {
  const lines: string[] = [];
  const log = { level: 'info', stream: { write: (line: string) => lines.push(line) } } as const;
  const store = Object.assign(memoryStore(), { summary: () => Promise.reject(new Error('broken')) });
  const serving = started({ log, store });
  const failed = await serving.request(`/api/conversations/${'0'.repeat(32)}`, { headers: headers('trace:1.a_b') });
  expect([failed.status, failed.headers.get('x-request-id')]).toEqual([500, 'trace:1.a_b']);
  expect(lines.map((line) => (JSON.parse(line) as { request_id: string }).request_id)).toEqual([
    'trace:1.a_b',
    'trace:1.a_b',
  ]);
  for (const invalid of ['', 'a b', 'x'.repeat(129)]) {
    const response = await serving.request('/alive', { headers: headers(invalid) });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('a server is ready before it has looked for interrupted conversations', async () => {
  const store = memoryStore();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const list = store.list.bind(store);
  const waiting: typeof list = async (query) => {
    // Only the request for `/ready` asks for one conversation.
    if (query?.limit === 1) return list(query);
    ask();
    await released;
    return list(query);
  };
  await using listening = await started({ store: Object.assign(store, { list: waiting }) }).listen(0);
  await asked;
  const response = await fetch(`${listening.url}/ready`);
  expect([response.status, await response.json()]).toEqual([200, { status: 'ready' }]);
  release();
});

test('the idle time counts from the last command, file or git request, and from the last event', async () => {
  let now = 1_000_000;
  const store = memoryStore({ now: () => now });
  const serving = started({ store, now: () => now });
  const idle = async () => ((await (await serving.request('/server_info')).json()) as { idle_time: number }).idle_time;
  for (const path of ['/api/git/commits?path=/', '/api/file/home', '/api/bash/bash_events/search']) {
    now += 5_000;
    expect(await idle()).toBe(5);
    await get(serving, path);
    expect(await idle()).toBe(0);
  }
  now += 7_000;
  await get(serving, '/api/conversations/count');
  expect(await idle()).toBe(7);
  await using log = await store.create('0'.repeat(32), {});
  expect([await idle(), log.id]).toEqual([0, '0'.repeat(32)]);
});
