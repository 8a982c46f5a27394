import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { scriptedServer } from '@varve/llm/testing';
import { expect, onTestFinished, test } from 'vitest';
import { processEnvironment } from './process-environment.ts';
import { newHome } from './run-varve.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Starts a collector, and returns its address and the requests that it received. */
async function collector() {
  const requests: { readonly path: string; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? '', body: await text(request) });
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Runs a task whose model asks for the environment, in a process of its own. */
async function run(env: Readonly<Record<string, string>>) {
  const home = await newHome();
  await using server = await scriptedServer([
    { calls: [{ name: 'terminal', arguments: { command: 'env; echo of-command' } }] },
    { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] },
  ]);
  const options = ['--base-url', server.url, '--model', 'scripted', '--confirm', 'never', '--sandbox', 'off', '--json'];
  const args = ['--conditions=@varve/source', main, 'run', ...options, '-w', home, 'My question.'];
  const child = spawn(process.execPath, args, {
    env: processEnvironment(home, { LLM_API_KEY: 'k', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, stdout, stderr };
}

test(
  'a run sends its spans to a collector, and commands of the model do not see the variables',
  { timeout: 60_000 },
  async () => {
    const received = await collector();
    const { code, stdout, stderr } = await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: received.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=hunter2-hunter2',
    });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain('of-command');
    expect(stdout).not.toMatch(/hunter2|OTEL_/);
    const spans = received.requests.filter(({ path }) => path === '/v1/traces').map(({ body }) => body);
    const names = spans.flatMap((body) => Array.from(body.matchAll(/"name":"([^"]+)","kind"/g), ([, name]) => name));
    expect(names).toEqual([
      'chat scripted',
      'execute_tool terminal',
      'step',
      'chat scripted',
      'execute_tool finish',
      'step',
      'invoke_agent varve',
    ]);
    expect(spans.join('')).not.toMatch(/My question|All done/);
    expect(received.requests.some(({ path }) => path === '/v1/metrics')).toBe(true);
  },
);

test('a run does not depend on its collector, and prints one line about it', { timeout: 60_000 }, async () => {
  const { code, stderr } = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
  expect(code).toBe(0);
  expect(stderr.split('\n').filter((line) => line.includes('OpenTelemetry'))).toEqual([
    expect.stringMatching(/OpenTelemetry: http:\/\/127\.0\.0\.1:1\/v1\/\w+ cannot be reached: /),
  ]);
});
