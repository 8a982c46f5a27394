import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveSettings, type Settings } from '../layers/resolve-settings.ts';
import { configuredServers, type FileServer } from './configured-servers.ts';
import { serversOfFile } from '../definitions/mcp-server.ts';

const secrets = { TOKEN: 'token-0123' };

async function settingsOf(user: unknown, env: Record<string, string> = {}): Promise<Settings> {
  const home = await mkdtemp(join(tmpdir(), 'varve-servers-'));
  await writeFile(join(home, 'config.json'), JSON.stringify(user));
  return resolveSettings({ home, env });
}

async function serversOf(
  user: unknown,
  { files = [], env = {} }: { files?: readonly FileServer[]; env?: Record<string, string> } = {},
) {
  return configuredServers(files, { settings: await settingsOf(user, env), workspace: '/srv/app', secrets });
}

test('secrets replace their names in arguments, variables, headers and addresses, and variables of the host do not', async () => {
  const local = {
    command: 'docs',
    args: ['--token=${TOKEN}', '$TOKEN'],
    env: { A: '${TOKEN}', B: '${NONE:-b}' },
    cwd: 'tools',
  };
  const remote = { url: 'https://mcp.example/x?k=${TOKEN}', headers: { authorization: 'Bearer ${TOKEN}' }, timeout: 5 };
  const { servers, problems } = await serversOf({ mcp_servers: { local, remote } });
  expect(problems).toEqual([]);
  expect(servers).toEqual({
    local: {
      transport: 'stdio',
      command: 'docs',
      args: ['--token=token-0123', '$TOKEN'],
      env: { A: 'token-0123', B: 'b' },
      directory: '/srv/app/tools',
    },
    remote: {
      transport: 'http',
      url: 'https://mcp.example/x?k=token-0123',
      headers: { authorization: 'Bearer token-0123' },
      timeoutMs: 5000,
      startMs: 5000,
    },
  });
  const unknown = await serversOf(
    { mcp_servers: { a: { command: 'a', env: { X: '${PATH}' } } } },
    { env: { PATH: '/bin' } },
  );
  expect(unknown).toMatchObject({
    servers: {},
    problems: ['The server a needs the secret PATH, which is not stored.'],
  });
});

test.for([
  [{ url: 'http://mcp.example', headers: { x: '${TOKEN}' } }, 'not encrypted'],
  [{ url: 'file:///etc/passwd' }, 'not valid'],
  [{ transport: 'http', command: 'x' }, 'neither'],
  [{ url: 'https://mcp.example', auth: { strategy: 'other' } }, '"other", which is not supported'],
  [{ command: 'x', auth: { strategy: 'oauth2' } }, '"oauth2", which is not supported'],
] as const)('%j is a problem that names the reason', async ([server, reason]) => {
  const { servers, problems } = await serversOf({ mcp_servers: { one: server } });
  expect([servers, problems]).toEqual([{}, [expect.stringContaining(reason)]]);
});

test('servers of a client start as they are, in place of others of their name', async () => {
  const settings = await settingsOf({ mcp_servers: { one: { command: 'own', sandbox: false } }, mcp_enabled: [] });
  const one = { transport: 'http', url: 'https://mcp.example/${TOKEN}', headers: { x: 'secret:TOKEN' } } as const;
  const places = { settings, workspace: '/srv/app', secrets, referable: secrets, clientServers: { one } };
  expect(configuredServers([], places)).toEqual({ servers: { one }, outside: new Set(), problems: [] });
});

test('the registered client of a server is configured, and its secret is a reference', async () => {
  const auth = { strategy: 'oauth2', client_id: 'mine', client_secret: '${TOKEN}', redirect_port: 8123 };
  const { servers } = await serversOf({ mcp_servers: { one: { url: 'https://mcp.example', auth } } });
  expect(servers).toMatchObject({
    one: { client: { client_id: 'mine', client_secret: 'token-0123' }, redirectPort: 8123 },
  });
});

test('a server with OAuth is one with an address', async () => {
  const server = { url: 'https://mcp.example', auth: { strategy: 'oauth2' } };
  const { servers, problems } = await serversOf({ mcp_servers: { one: server } });
  expect([servers, problems]).toMatchObject([{ one: { url: 'https://mcp.example' } }, []]);
});

test('a server on this machine may get a secret without encryption', async () => {
  const url = 'http://127.0.0.1:8000/mcp';
  const { servers } = await serversOf({ mcp_servers: { one: { url, headers: { x: '${TOKEN}' }, transport: 'sse' } } });
  expect(servers).toMatchObject({ one: { transport: 'sse', headers: { x: 'token-0123' } } });
});

test('settings are stronger than files, and servers that are disabled or not enabled do not start', async () => {
  const files = ['a', 'b', 'c'].map((name) => ({ name, config: { command: 'file' }, directory: '/srv' }));
  const user = { mcp_servers: { a: { command: 'user' }, b: { command: 'user', enabled: false } } };
  const { servers } = await serversOf(user, { files });
  expect(Object.keys(servers)).toEqual(['a', 'c']);
  expect(servers).toMatchObject({
    a: { command: 'user', directory: '/srv/app' },
    c: { command: 'file', directory: '/srv' },
  });
  const chosen = await serversOf({ ...user, mcp_enabled: ['c', 'd'] }, { files });
  expect([Object.keys(chosen.servers), chosen.problems]).toEqual([
    ['c'],
    ['There is no server "d", which mcp_enabled names.'],
  ]);
});

test('servers of a variable are added to those of the file', async () => {
  const env = { VARVE_MCP_SERVERS: '{"b": {"command": "b"}}' };
  const { servers } = await serversOf({ mcp_servers: { a: { command: 'a' } } }, { env });
  expect(Object.keys(servers).toSorted()).toEqual(['a', 'b']);
});

test('entries of files are read as other agents write them', () => {
  const { servers, invalid } = serversOfFile({
    mcpServers: {
      off: { command: 'a', disabled: true },
      on: { command: 'b', disabled: false, env: { PORT: 8080, DEBUG: true }, alwaysAllow: [] },
      http: { type: 'streamableHttp', url: 'https://mcp.example' },
      bad: { command: 5 },
    },
  });
  expect(invalid).toEqual(['bad']);
  expect(servers).toEqual({
    off: { command: 'a', enabled: false },
    on: { command: 'b', enabled: true, env: { PORT: '8080', DEBUG: 'true' } },
    http: { transport: 'streamable-http', url: 'https://mcp.example' },
  });
});
