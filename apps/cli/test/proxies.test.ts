import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { scriptedServer } from '@varve/llm/testing';
import { expect, onTestFinished, test } from 'vitest';
import { appMain } from '../../../tests/app-main.ts';
import { processEnvironment } from './process-environment.ts';
import { newHome } from './run-varve.ts';

const main = appMain('cli');

/** Starts a proxy that forwards every request to one server, and returns its address and what it was asked for. */
async function proxyTo(target: string) {
  const asked: string[] = [];
  const proxy = createServer((incoming, response) => {
    asked.push(incoming.url ?? '');
    const { pathname } = new URL(incoming.url ?? '');
    const { method, headers } = incoming;
    const outgoing = request(new URL(pathname, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close().closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

/** Runs a task in a process of its own, because proxies are those of a process. */
async function run(baseUrl: string, env: Readonly<Record<string, string>>) {
  const home = await newHome();
  const args = ['run', 'Hi.', '--base-url', baseUrl, '--model', 'm', '--set', 'llm.num_retries=1', '--workspace', home];
  const child = spawn(process.execPath, [main, ...args], {
    env: processEnvironment(home, { LLM_API_KEY: 'k', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

test('the model is asked through the proxy of the environment, and one of this machine directly', async () => {
  await using server = await scriptedServer([{ text: 'Done.' }, { text: 'Directly.' }]);
  const proxy = await proxyTo(server.url);
  const through = await run('http://models.corp.test/v1', { ALL_PROXY: proxy.url });
  expect([through.code, through.stdout]).toEqual([0, 'Done.\n']);
  expect(proxy.asked).toEqual(['http://models.corp.test/v1/chat/completions']);
  const directly = await run(server.url, { http_proxy: proxy.url });
  expect([directly.code, directly.stdout]).toEqual([0, 'Directly.\n']);
  expect(proxy.asked).toHaveLength(1);
}, 60_000);

test('an error names the proxy without its password', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, 'close');
  const { code, stderr } = await run('http://models.corp.test/v1', {
    HTTP_PROXY: `http://me:canary@127.0.0.1:${port}`,
  });
  expect([code, stderr]).toEqual([3, expect.stringContaining(`The proxy is http://127.0.0.1:${port}.`)]);
  expect(stderr).not.toContain('canary');
}, 60_000);

test('certificates that cannot be read are an error, and a proxy of another protocol is a notice', async () => {
  const { code, stderr } = await run('http://models.corp.test/v1', { SSL_CERT_FILE: '/nowhere/ca.pem' });
  expect([code, stderr]).toEqual([2, expect.stringContaining("open '/nowhere/ca.pem'")]);
  await using server = await scriptedServer([{ text: 'Done.' }]);
  const ignored = await run(server.url, { ALL_PROXY: 'socks5://127.0.0.1:1' });
  expect([ignored.code, ignored.stderr]).toEqual([0, expect.stringContaining('ALL_PROXY has no effect')]);
}, 60_000);
