import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { textOf, type Json } from '@varve/events';
import { MCPToolObservation } from '@varve/events/payloads';
import { preparePart } from '@varve/events/specs';
import { openSandbox, sandboxProblem } from '@varve/sandbox';
import { redactor } from '@varve/text';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning } from '../../test/support/is-running.ts';
import type { Tool } from '../contract/tool.ts';
import type { ToolKindContext } from '../specs/tool-kinds.ts';
import { connectMcp } from './connect-mcp.ts';
import type { McpProcess } from './mcp-server.ts';
import { startMcpServers, type McpServers } from './mcp-servers.ts';
import { mcpToolName } from './mcp-tool.ts';

const script = fileURLToPath(new URL('../../test/support/mcp-server.ts', import.meta.url));
const noSecrets = redactor([], { replacement: '***' });

function processServer(more: Partial<McpProcess> = {}): McpProcess {
  return { transport: 'stdio', command: process.execPath, args: [script], env: {}, directory: tmpdir(), ...more };
}

function madeBy(
  { kind }: McpServers,
  params: Readonly<Record<string, Json>>,
  context: ToolKindContext,
): readonly Tool[] {
  return preparePart({ ...params, kind: 'mcp' }, { registry: [kind], path: [] })(context);
}

async function toolsOf(servers: McpServers, mask = noSecrets): Promise<ReadonlyMap<string, Tool>> {
  const context = { conversationId: 'c', redactor: mask };
  const tools = servers.tools.flatMap(({ params }) => madeBy(servers, params, context));
  return new Map(tools.map((tool) => [tool.name, tool]));
}

async function close(tools: ReadonlyMap<string, Tool>): Promise<void> {
  await Promise.all([...tools.values()].map(async (tool) => tool.close?.()));
}

type Context = Parameters<Tool['execute']>[1];

async function call(
  tools: ReadonlyMap<string, Tool>,
  name: string,
  input: unknown = {},
  more: Pick<Partial<Context>, 'signal' | 'checkLease'> = {},
) {
  const tool = tools.get(name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  const context = { workspace: tmpdir(), signal: new AbortController().signal, ...more };
  const observation = await tool.execute(tool.parse(input), context as Context);
  const { content, is_error } = MCPToolObservation.read(observation) ?? {};
  return { text: textOf(content ?? []), isError: is_error };
}

test('tools of a server are offered under its name, with cautious hints, and answer calls', async () => {
  await using servers = await startMcpServers({ docs: processServer() }, { env: process.env });
  expect(servers).toMatchObject({ problems: [], tools: [{ name: 'mcp', params: { server: 'docs' } }] });
  const tools = await toolsOf(servers);
  expect([...tools.keys()].slice(0, 3)).toEqual(['mcp__docs__echo', 'mcp__docs__fail', 'mcp__docs__flood']);
  const echo = tools.get('mcp__docs__echo');
  expect(echo?.annotations.readOnlyHint).toBe(false);
  expect([echo?.effect({}), echo?.resources({})]).toEqual(['write', ['mcp:docs']]);
  expect(await call(tools, 'mcp__docs__echo', { text: 'Hello.' })).toEqual({ text: 'Hello.', isError: false });
  expect(() => echo?.parse({})).toThrow('text');
  expect(await call(tools, 'mcp__docs__fail')).toEqual({ text: 'No such thing.', isError: true });
  const flood = await call(tools, 'mcp__docs__flood');
  expect([flood.text.length <= 50_000, flood.text.slice(0, 6), flood.text.slice(-4)]).toEqual([true, 'startx', 'xend']);
  await close(tools);
});

test('a server that does not answer is given up after the limit of its start', { timeout: 20_000 }, async () => {
  const docs = processServer({ args: ['--eval', 'setInterval(() => undefined, 1000)'], startMs: 200 });
  await using servers = await startMcpServers({ docs }, { env: process.env });
  expect([servers.tools, servers.problems]).toEqual([[], [expect.stringContaining('could not be started')]]);
});

test.for([30_000.25, 2 ** 31, Infinity])('a server with a limit of %d ms starts and answers', async (timeoutMs) => {
  await using servers = await startMcpServers({ docs: processServer({ timeoutMs }) }, { env: process.env });
  expect(servers.problems).toEqual([]);
  const tools = await toolsOf(servers);
  expect(await call(tools, 'mcp__docs__echo', { text: 'hello' })).toMatchObject({ isError: false });
  await close(tools);
});

test('a process gets public variables and its own, and secrets are masked before results are cut', async () => {
  const env = { ...process.env, LLM_API_KEY: 'key-of-the-model-0123' };
  const variables = { TOKEN: 'token-0123456789' };
  await using servers = await startMcpServers({ docs: processServer({ env: variables }) }, { env });
  const tools = await toolsOf(servers, redactor([variables.TOKEN], { replacement: '<hidden>' }));
  expect((await call(tools, 'mcp__docs__getenv', { text: 'LLM_API_KEY' })).text).toBe('undefined');
  expect((await call(tools, 'mcp__docs__getenv', { text: 'TOKEN' })).text).toBe('<hidden>');
  await close(tools);
});

test('a server that ends is an observation, and is started again with the next call, three times', async () => {
  await using servers = await startMcpServers({ docs: processServer() }, { env: process.env });
  const tools = await toolsOf(servers);
  for (let round = 0; round < 4; round++) {
    const died = await call(tools, 'mcp__docs__die');
    expect(died).toMatchObject({ isError: true, text: expect.stringContaining('The server docs has ended') });
    const next = await call(tools, 'mcp__docs__echo', { text: 'Again.' });
    expect(next.text).toContain(round < 3 ? 'Again.' : 'is not started again');
  }
  await close(tools);
});

test('a call checks the lease once its server has started, and is not sent without it', async () => {
  await using servers = await startMcpServers({ docs: processServer() }, { env: process.env });
  const tools = await toolsOf(servers);
  let checks = 0;
  const checkLease = async (): Promise<void> => {
    checks += 1;
    if (checks === 1) throw new Error('Taken over.');
  };
  await expect(call(tools, 'mcp__docs__die', {}, { checkLease })).rejects.toThrow('Taken over.');
  for (let round = 0; round < 4; round++) {
    await call(tools, 'mcp__docs__die');
    await call(tools, 'mcp__docs__echo', { text: 'Again.' }, { checkLease });
  }
  // The last server is not started again.
  expect(checks).toBe(4);
  await close(tools);
});

test('a call that takes too long is an observation, and a cancelled one is cancelled', async () => {
  await using servers = await startMcpServers({ docs: processServer({ timeoutMs: 300 }) }, { env: process.env });
  const tools = await toolsOf(servers);
  const hanging = call(tools, 'mcp__docs__hang');
  const cancelled = call(tools, 'mcp__docs__hang', {}, { signal: AbortSignal.timeout(10) });
  await expect(cancelled).rejects.toMatchObject({ code: 'aborted' });
  expect(await hanging).toMatchObject({ isError: true });
  await close(tools);
});

test('closing the tools ends the server with the programs that it started', async () => {
  const connection = await connectMcp('docs', processServer({ args: [script, '1000'] }), {
    env: process.env,
    redactor: noSecrets,
  });
  const { content } = await connection.call('processes', {}, new AbortController().signal);
  const [block] = content;
  const ids = JSON.parse(block?.type === 'text' ? block.text : '[]') as readonly number[];
  expect(ids.map(isRunning)).toEqual([true, true]);
  await connection.close();
  await expect.poll(() => ids.map(isRunning), { interval: 10, timeout: 20_000 }).toEqual([false, false]);
});

test('servers that do not start are problems, without secrets, and prevent no other', async () => {
  const secret = 'secret-0123456789';
  const broken = processServer({
    args: ['-e', `console.error(process.env.TOKEN); process.exit(3)`],
    env: { TOKEN: secret },
  });
  const servers = { broken, missing: processServer({ command: '/nowhere/server' }), docs: processServer() };
  await using started = await startMcpServers(servers, { env: process.env, secrets: [secret] });
  expect(started.tools.map(({ params }) => params.server)).toEqual(['docs']);
  expect(started.problems).toEqual([
    expect.stringMatching(/^The server broken could not be started\..*<secret-hidden>/s),
    expect.stringMatching(/^The server missing could not be started\..*ENOENT/s),
  ]);
  // A stored agent may name a server that is not there any more.
  const context = { conversationId: 'c', redactor: noSecrets };
  const tools = madeBy(started, { server: 'gone', tools: ['search'] }, context);
  const gone = new Map(tools.map((tool) => [tool.name, tool]));
  expect((await call(gone, 'mcp__gone__search', { any: 1 })).text).toBe('The server gone is not running.');
});

test('an invalid tool hides no other, and is named', async () => {
  const server = processServer({ args: [script, 'bad-tools'] });
  await using servers = await startMcpServers({ docs: server }, { env: process.env });
  const tools = await toolsOf(servers);
  expect([...tools.keys()]).toEqual(['mcp__docs__bare', 'mcp__docs__echo']);
  expect(servers.problems).toEqual([
    'The server docs: The tool "echo" is left out: another one has its name.',
    'The server docs: The tool "large" is left out: its schema has more than 32000 characters.',
    'The server docs: The tool "list" is left out: its inputSchema.type is invalid.',
    'The server docs: Tool 2 is left out: its name is invalid.',
    'The server docs: Tool 4 is left out: it is not an object.',
  ]);
  expect(await call(tools, 'mcp__docs__echo', { text: 'Hello.' })).toEqual({ text: 'Hello.', isError: false });
  await close(tools);
});

test('each conversation has its own connection', async () => {
  await using servers = await startMcpServers({ docs: processServer() }, { env: process.env });
  const [map, other] = [await toolsOf(servers), await toolsOf(servers)];
  expect((await call(other, 'mcp__docs__echo', { text: 'Other.' })).text).toBe('Other.');
  await close(other);
  expect((await call(map, 'mcp__docs__echo', { text: 'One.' })).text).toBe('One.');
  await close(map);
});

test('a server over HTTP gets its headers, and not those of a redirect to another origin', async () => {
  const seen: string[] = [];
  const listen = async (answer: (method: string) => unknown, redirect?: string): Promise<string> => {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        seen.push(request.headers.authorization ?? 'none');
        const { id, method } = JSON.parse(body || '{}') as { id?: number; method?: string };
        const status = redirect !== undefined ? 307 : request.method === 'GET' ? 405 : id === undefined ? 202 : 200;
        response.writeHead(status, { 'content-type': 'application/json', ...(redirect && { location: redirect }) });
        response.end(status === 200 ? JSON.stringify({ jsonrpc: '2.0', id, result: answer(method ?? '') }) : '');
      });
    });
    onTestFinished(() => void server.close());
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  };
  const initialized = {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 't', version: '1' },
  };
  const results: Readonly<Record<string, unknown>> = {
    initialize: initialized,
    'tools/list': { tools: [{ name: 'now', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'Noon.' }] },
  };
  const url = await listen((method) => results[method] ?? {});
  const headers = { authorization: 'Bearer token-0123' };
  await using servers = await startMcpServers({ clock: { transport: 'http', url, headers } }, { env: {} });
  const tools = await toolsOf(servers);
  expect((await call(tools, 'mcp__clock__now')).text).toBe('Noon.');
  expect(new Set(seen)).toEqual(new Set(['Bearer token-0123']));
  await close(tools);
  seen.length = 0;
  const other = await listen(() => ({}), url);
  await using redirected = await startMcpServers({ clock: { transport: 'http', url: other, headers } }, { env: {} });
  expect([redirected.tools, redirected.problems.length, seen.length]).toEqual([[], 1, 1]);
});

test.for<readonly [server: string, tool: string, name: string]>([
  ['docs', 'search', 'mcp__docs__search'],
  ['my docs', 'a.b', 'mcp__my_docs__a_b_beb88a44'],
])('the tool of %s is %s: %s', ([server, tool, name]) => {
  expect(mcpToolName(server, tool)).toBe(name);
});

test('names that are equal without their special characters, and long ones, differ', () => {
  const names = [mcpToolName('a.b', 'x'), mcpToolName('a b', 'x'), mcpToolName('a', 'x'.repeat(200))];
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
});

test('schemas of results neither run nor print, and a server without tools prints nothing', async () => {
  const printed: unknown[] = [];
  const before = { ...console };
  onTestFinished(() => void Object.assign(console, before));
  for (const method of ['log', 'info', 'debug', 'warn', 'error'] as const) {
    console[method] = (...texts) => void printed.push(...texts);
  }
  const asked = { docs: processServer(), bare: processServer({ args: [script, 'no-tools'] }) };
  await using servers = await startMcpServers(asked, { env: process.env });
  const tools = await toolsOf(servers);
  expect(await call(tools, 'mcp__docs__checked')).toEqual({ text: 'Fine.', isError: false });
  expect([servers.problems, printed]).toEqual([[], []]);
  await close(tools);
});

test.skipIf((await sandboxProblem()) !== undefined)(
  'a server that the sandbox stops is reported with the setting',
  async () => {
    const sandbox = openSandbox({ profile: 'workspace', writable: [], readOnly: [], hidden: [], network: 'on' });
    onTestFinished(() => sandbox.close());
    const args = ['-e', `require('net').createServer().listen('/tmp/varve-refused')`];
    const starting = connectMcp('docs', processServer({ args }), { env: {}, redactor: noSecrets, sandbox });
    await expect(starting).rejects.toThrow(
      'The sandbox (profile workspace) may have refused sockets of the local machine, which the output names. Its setting is "sandbox" of the server.',
    );
  },
);
