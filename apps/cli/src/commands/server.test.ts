import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { server } from '@varve/server';
import { memoryStore } from '@varve/storage';
import { expect, test } from 'vitest';
import { newHome, runVarve } from '../../test/run-varve.ts';

const key = 'key-of-the-tests';

test('the table has a row for each server, also for one that does not answer or refuses the key', async () => {
  await using listening = await server({ store: memoryStore(), keys: [key] }).listen(0);
  await using refusing = createServer((_request, response) => void response.writeHead(401).end());
  await once(refusing.listen(0, '127.0.0.1'), 'listening');
  const refused = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
  const home = await newHome();
  const env = { VARVE_SESSION_API_KEY: key };
  const { code, stdout } = await runVarve(['server', 'status', listening.url, refused, 'http://127.0.0.1:1'], {
    home,
    env,
  });
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  expect(code).toBe(4);
  expect(rows).toEqual([
    ['server', 'state', 'runs', 'oldest', 'waiting', 'oldest', 'unowned', 'taken over', 'not handed over', 'memory'],
    [listening.url, 'ready', '0', '0 s', '0', '0 s', '0', '0', '0', expect.stringMatching(/^\d+ MB$/)],
    [refused, 'answers with the status 401', ...Array.from({ length: 8 }, () => '-')],
    ['http://127.0.0.1:1', 'does not answer', ...Array.from({ length: 8 }, () => '-')],
  ]);
  const json = await runVarve(['server', 'status', '--json', listening.url], { home, env });
  expect(json.code).toBe(0);
  const { figures, ...status } = JSON.parse(json.stdout) as { readonly figures: Readonly<Record<string, number>> };
  expect(status).toEqual({ url: listening.url, problem: null });
  expect(Object.keys(figures)).toHaveLength(8);
  expect(figures).toMatchObject({ 'varve_runs{state="active"}': 0, varve_leases_expired: 0 });
});

test('without addresses it shows the servers of the user, of which there may be none', async () => {
  const { code, stdout, stderr } = await runVarve(['server', 'status'], { home: await newHome() });
  expect([code, stdout, stderr]).toEqual([0, '', 'No server runs.\n']);
});
