import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { json } from 'node:stream/consumers';
import { redactor } from '@varve/text';
import { expect, onTestFinished, test } from 'vitest';
import { connectMcp } from './connect-mcp.ts';
import type { McpLogin, McpLogins } from './mcp-logins.ts';
import type { McpAddress } from './mcp-server.ts';
import { McpSession } from './mcp-session.ts';
import type { AskForServer, ServerQuestion } from './ask-for-server.ts';

const noSecrets = redactor([], { replacement: '***' });
const { signal } = new AbortController();

interface Reply {
  readonly status: number;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a server with one tool and one resource; `refusal` may answer a request in place of it. */
async function httpServer(refusal: (method: string, session: string | undefined) => Reply | undefined) {
  const place = { url: '', session: 0, requests: [] as string[] };
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: 'docs', version: '1' },
    },
    'tools/list': { tools: [{ name: 'water', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'Watered.' }] },
    'resources/read': { contents: [{ uri: 'notes://today', text: 'Buy oats.' }] },
  };
  const server = createServer((request, response) => {
    const reply = async (): Promise<Reply> => {
      if (request.method !== 'POST') return { status: 405 };
      const { id, method } = (await json(request)) as { readonly id?: number; readonly method: string };
      place.requests.push(method);
      if (method === 'initialize') place.session += 1;
      const session = request.headers['mcp-session-id'];
      const refused = refusal(method, typeof session === 'string' ? session : undefined);
      if (refused?.status === 200) return { status: 200, body: { jsonrpc: '2.0', id, ...(refused.body as object) } };
      if (refused) return refused;
      if (id === undefined) return { status: 202 };
      const headers = { 'mcp-session-id': String(place.session) };
      return { status: 200, body: { jsonrpc: '2.0', id, result: results[method] }, headers };
    };
    const answer = async (): Promise<void> => {
      const { status, body, headers } = await reply();
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'object' ? JSON.stringify(body) : body);
    };
    void answer();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  place.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return place;
}

/** Returns a session with a server, which is closed after the test. */
function sessionAt(
  url: string,
  more: { readonly askForServer?: AskForServer; readonly logins?: McpLogins } = {},
): McpSession {
  const server: McpAddress = { transport: 'http', url, headers: {} };
  const session = new McpSession(async () => connectMcp('docs', server, { env: {}, redactor: noSecrets, ...more }));
  onTestFinished(() => session.closeUnused());
  return session;
}

const watered = { content: [{ type: 'text', text: 'Watered.' }] };

test.for([404, 400])(
  'a request in a session that the server has forgotten (%i) is sent again in a new one',
  async (status) => {
    let forgotten = 0;
    const place = await httpServer((_, session) =>
      session !== undefined && Number(session) <= forgotten
        ? { status, body: { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } } }
        : undefined,
    );
    const session = sessionAt(place.url);
    for (let round = 0; round < 6; round++) {
      expect(await session.call('water', {}, { signal })).toMatchObject(watered);
      forgotten = place.session;
    }
    const both = await Promise.all(
      [1, 2].map(async () => session.ask(signal, async (connection) => connection.resource('notes://today', signal))),
    );
    expect(both.flat()).toMatchObject([{ text: 'Buy oats.' }, { text: 'Buy oats.' }]);
    // Requests that are refused concurrently share the new session.
    expect(place.requests.filter((method) => method === 'initialize')).toHaveLength(7);
  },
);

test('a server that refuses its new session as well is not asked a third time', async () => {
  const place = await httpServer((method) => (method === 'tools/call' ? { status: 404 } : undefined));
  await expect(sessionAt(place.url).call('water', {}, { signal })).rejects.toThrow('The server docs has ended');
  expect(place.requests.filter((method) => method === 'tools/call')).toHaveLength(2);
});

const elicitations = [{ mode: 'url', url: 'https://example.org/in', elicitationId: '1', message: 'Log in.' }];
const opensFirst = { status: 200, body: { error: { code: -32042, message: 'Needed.', data: { elicitations } } } };

test('an address that a call requires is shown, and the call is sent again when the person is done there', async () => {
  const asked: ServerQuestion[] = [];
  const place = await httpServer((method) => (method === 'tools/call' && asked.length < 2 ? opensFirst : undefined));
  const session = sessionAt(place.url, {
    askForServer: async (question) => {
      asked.push(question);
      return {};
    },
  });
  expect(await session.call('water', {}, { signal })).toMatchObject(watered);
  expect(asked).toMatchObject([
    { message: 'Log in.', url: new URL('https://example.org/in') },
    { message: expect.stringContaining('done'), fields: [] },
  ]);
});

test.for([
  ['refuses', async () => 'decline' as const],
  ['is not asked', undefined],
] as const)('an address that a call requires is named to the model if the person %s', async ([, askForServer]) => {
  const place = await httpServer((method) => (method === 'tools/call' ? opensFirst : undefined));
  const session = sessionAt(place.url, askForServer && { askForServer });
  await expect(session.call('water', {}, { signal })).rejects.toThrow('https://example.org/in (Log in.)');
  expect(place.requests.filter((method) => method === 'tools/call')).toHaveLength(1);
});

/** Logins in memory, of one server. */
function memoryLogins(): McpLogins & { login: McpLogin | undefined } {
  return {
    login: {
      authorization: { authorizationServerUrl: 'https://example.org' },
      client: { client_id: 'one' },
      tokens: { access_token: 'token-0123', token_type: 'Bearer', scope: 'read' },
    },
    async read() {
      return this.login;
    },
    async change(_, change) {
      return (this.login = await change(this.login));
    },
  };
}

test('rights that a call misses are named with the command, and stored for the next login', async () => {
  const challenge = 'Bearer error="insufficient_scope", scope="read write"';
  const place = await httpServer((method) =>
    method === 'tools/call' ? { status: 403, headers: { 'www-authenticate': challenge } } : undefined,
  );
  const logins = memoryLogins();
  await expect(sessionAt(place.url, { logins }).call('water', {}, { signal })).rejects.toThrow(
    'It requires a login with more rights (read write): `varve mcp login docs`.',
  );
  expect(logins.login).toMatchObject({ tokens: { access_token: 'token-0123' }, missingScope: 'read write' });
});

test('a token that is refused in the middle of a run, and the next one too, is named with the command', async () => {
  const place = await httpServer((method) => (method === 'tools/call' ? { status: 401 } : undefined));
  const logins = memoryLogins();
  const session = sessionAt(place.url, {
    // Another process refreshes it after each read.
    logins: { ...logins, read: async () => logins.login && withToken(logins.login, 'token-before') },
  });
  await expect(session.call('water', {}, { signal })).rejects.toThrow('It requires a login: `varve mcp login docs`.');
  expect(place.requests.filter((method) => method === 'tools/call')).toHaveLength(2);
});

function withToken(login: McpLogin, token: string): McpLogin {
  return { ...login, tokens: { ...login.tokens, access_token: token } };
}

test('the reason of an address that cannot be reached is named', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  await expect(sessionAt(`http://127.0.0.1:${port}/mcp`).call('water', {}, { signal })).rejects.toThrow('ECONNREFUSED');
});

test('a page in place of an answer is reported in one line', async () => {
  const page = { status: 502, body: `<html>\n  <h1>Bad gateway</h1>\n${'x'.repeat(9000)}` };
  const place = await httpServer((method) => (method === 'initialize' ? page : undefined));
  const calling = sessionAt(place.url).call('water', {}, { signal });
  await expect(calling).rejects.toThrow(/^The server docs could not be started\. .*<h1>Bad gateway<.{0,999}$/);
});

const program = { transport: 'stdio', command: process.execPath, env: {}, directory: tmpdir() } as const;

test.for([
  ['a stack', `require('/nowhere/server.js')`, "Error: Cannot find module '/nowhere/server.js'"],
  ['lines', `console.error('Starting.'); console.error('No database.'); process.exit(1)`, 'No database.'],
] as const)('a program that prints %s and ends is reported in one line', async ([, code, cause]) => {
  const server = { ...program, args: ['-e', code] };
  const connecting = connectMcp('docs', server, { env: {}, redactor: noSecrets });
  const message = await connecting.then(
    () => '',
    (error: unknown) => String(error),
  );
  expect(message).toMatch(/The server docs could not be started\. [^\n]+$/);
  expect(message.endsWith(`It printed: ${cause}`)).toBe(true);
});
