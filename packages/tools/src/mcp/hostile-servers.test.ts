import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { textOf } from '@varve/events';
import { MCPToolObservation } from '@varve/events/payloads';
import { preparePart } from '@varve/events/specs';
import { redactor } from '@varve/text';
import { expect, onTestFinished, test } from 'vitest';
import type { Tool } from '../contract/tool.ts';
import { startMcpServers } from './mcp-servers.ts';

const script = fileURLToPath(new URL('../../test/support/hostile-mcp-server.ts', import.meta.url));
const noSecrets = redactor([], { replacement: '***' });

/** Starts a server with an attack, and calls its tool with a text that a slow pattern almost fits. */
async function called(attack: string): Promise<string> {
  const server = {
    transport: 'stdio',
    command: process.execPath,
    args: [script, attack],
    env: {},
    directory: tmpdir(),
  } as const;
  await using servers = await startMcpServers({ s: server }, { env: process.env });
  const [spec] = servers.tools;
  if (!spec) return servers.problems.join();
  const context = { conversationId: 'c', redactor: noSecrets };
  const [tool] = preparePart({ ...spec.params, kind: 'mcp' }, { registry: [servers.kind], path: [] })(context);
  if (!tool) throw new Error('There is no tool.');
  const { signal } = new AbortController();
  const run = { workspace: tmpdir(), signal } as Parameters<Tool['execute']>[1];
  const result = await tool.execute(tool.parse({ text: `${'a'.repeat(40)}!` }), run);
  await tool.close();
  return textOf(MCPToolObservation.read(result)?.content ?? []);
}

test('schemas and results of a server take neither time nor memory without a limit', async () => {
  const attacks = ['pattern', 'doubling', 'pattern of results', 'deep result'];
  const texts = await Promise.all(attacks.map(called));
  const [tooDeep] = texts.splice(3);
  expect(texts).toEqual(['Fine.', 'Fine.', `{"text":"${'a'.repeat(40)}!"}`]);
  expect(tooDeep).toMatch(/A message has more than 200 levels of JSON/);
});

/** Serves the protocol over HTTP up to the first note, which has no response. */
async function serve(onNote: () => void): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id, method } = JSON.parse(await text(request)) as { readonly id?: unknown; readonly method: string };
    if (method !== 'initialize') return onNote();
    const serverInfo = { name: 'hostile', version: '1' };
    const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

test('a server that leaves a note without a response does not outlive an abort', async () => {
  const abort = new AbortController();
  const url = await serve(() => abort.abort());
  const server = { transport: 'http', url, headers: {} } as const;
  await using servers = await startMcpServers({ s: server }, { env: {}, signal: abort.signal });
  expect(servers.problems).toEqual(['The server s could not be started. It did not answer in time.']);
});
