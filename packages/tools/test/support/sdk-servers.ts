import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import type { McpServer } from '../../src/mcp/mcp-server.ts';
import { sdkServer } from './sdk-server.ts';

const script = fileURLToPath(new URL('sdk-server.ts', import.meta.url));

/** Returns the server as a process. */
export function stdioServer(): McpServer {
  return { transport: 'stdio', command: process.execPath, args: [script], env: {}, directory: tmpdir() };
}

/** Serves the server over HTTP, for one client. */
export async function httpServer(): Promise<McpServer> {
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => 'one' });
  await sdkServer().connect(transport);
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = request.method === 'POST' ? await Array.fromAsync(request, String) : undefined;
      const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const init = { method: request.method ?? '', headers, ...(body && { body: body.join('') }) };
      const reply = await transport.handleRequest(new Request(`http://localhost${request.url}`, init));
      response.writeHead(reply.status, Object.fromEntries(reply.headers));
      response.flushHeaders();
      if (reply.body) Readable.fromWeb(reply.body).pipe(response);
      else response.end();
    };
    void answer();
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return { transport: 'http', url, headers: {} };
}
