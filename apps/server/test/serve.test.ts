import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { appMain } from '../../../tests/app-main.ts';

const main = appMain('server');

/** Starts the program with a data directory of its own. */
async function started(...args: readonly string[]) {
  const home = await mkdtemp(join(tmpdir(), 'varve-agent-server-'));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: home };
  return spawn(process.execPath, [main, ...args], { env });
}

test.for(['SIGTERM', 'SIGINT'] as const)('answers requests until %s, with the generated key', async (signal) => {
  const program = await started('--port', '0', '--log-level', 'error');
  const lines = createInterface(program.stderr)[Symbol.asyncIterator]();
  const url = String((await lines.next()).value).replace('varve-agent-server serves ', '');
  const key = String((await lines.next()).value).replace('X-Session-API-Key: ', '');
  const count = (headers: Record<string, string>) => fetch(`${url}/api/conversations/count`, { headers });
  expect((await count({})).status).toBe(401);
  expect(await (await count({ 'X-Session-API-Key': key })).text()).toBe('0');
  const exit = once(program, 'exit');
  program.kill(signal);
  expect(await exit).toEqual([0, null]);
});

test.for([
  [['--prot', '1'], "Unknown option '--prot'"],
  [['--port', 'none'], 'server.port'],
  [['--host', '0.0.0.0'], 'no key is configured'],
] as const)('%s is refused with the exit code 2', async ([args, sentence]) => {
  const program = await started(...args);
  const [errors, [code]] = await Promise.all([text(program.stderr), once(program, 'exit')]);
  expect(errors).toContain(sentence);
  expect(code).toBe(2);
});
