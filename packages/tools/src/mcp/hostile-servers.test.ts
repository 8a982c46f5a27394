import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { callHostileServer } from '../../test/support/call-hostile-server.ts';
import { startMcpServers } from './mcp-servers.ts';

test('schemas and results of a server take neither time nor memory without a limit', async () => {
  const attacks = ['pattern', 'doubling', 'pattern of results', 'deep result'];
  const texts = await Promise.all(attacks.map((attack) => callHostileServer(attack)));
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
