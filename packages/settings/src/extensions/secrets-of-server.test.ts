import { expect, test } from 'vitest';
import type { McpServer } from '@varve/tools/mcp';
import { secretsOfServer } from './secrets-of-server.ts';

const secret = 'canary/0123+word=';
const local = (more: {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}): McpServer => {
  return { transport: 'stdio', command: 'docs', args: [], env: {}, directory: '/srv', ...more };
};
const remote = (url: string, headers: Readonly<Record<string, string>> = {}): McpServer => {
  return { transport: 'http', url, headers };
};

const names = [
  'GITHUB_TOKEN',
  'api-key',
  'apiKey',
  'OPENAI_API_KEY',
  'DB_PASSWORD',
  'pwd',
  'CLIENT_SECRET',
  'GH_PAT',
  'HF_TOKEN_1',
];
const places: readonly ((name: string) => McpServer)[] = [
  (name) => local({ env: { [name]: secret } }),
  (name) => local({ args: ['serve', `--${name}`, secret] }),
  (name) => local({ args: [`--${name}=${secret}`] }),
  (name) => local({ args: ['run', '-e', `${name}=${secret}`, 'image'] }),
  (name) => remote('https://mcp.example', { [`X-${name}`]: secret }),
  (name) => remote('https://mcp.example', { [name]: `Bearer ${secret}` }),
  (name) => remote('https://mcp.example', { [name]: `Basic ${btoa(`me:${secret}`)}` }),
  (name) => remote(`https://mcp.example/?${name}=${encodeURIComponent(secret)}`),
  (name) => local({ args: ['https://mcp.example', '--header', `X-${name}: ${secret}`] }),
  (name) => local({ args: ['--header', `${name}:Bearer ${secret}`] }),
  (name) => local({ args: [`--header=X-${name}: ${secret}`] }),
  () => local({ env: { AUTH_HEADER: `Bearer ${secret}` }, args: ['--header', 'Authorization:${AUTH_HEADER}'] }),
  (name) => local({ args: [`--url=https://mcp.example/?${name}=${encodeURIComponent(secret)}`] }),
  () => remote(`https://me:${encodeURIComponent(secret)}@mcp.example`),
  () => local({ args: ['-y', `postgresql://me:${encodeURIComponent(secret)}@localhost:5432/db`] }),
  () => local({ env: { DATABASE_URL: `redis://:${encodeURIComponent(secret)}@localhost` } }),
];

test('a secret in the configuration of a server is found in every place, by each name', () => {
  for (const name of names) for (const place of places) expect(secretsOfServer(place(name))).toContain(secret);
});

test('numbers, paths, short values and those of other names are no secrets', () => {
  const env = {
    MAX_TOKENS: '100000000',
    TOKEN: 'none',
    SSH_KEY: '/etc/ssh/host_key',
    TOKENIZER: 'cl100k_base',
    MODE: 'production',
    DATABASE_URL: 'postgres://postgres:postgres@localhost/db',
  };
  expect(
    secretsOfServer(
      local({ env, args: ['--root', '/srv/some/place', 'long-argument', 'https://mcp.example:8080/long'] }),
    ),
  ).toEqual([]);
  expect(
    secretsOfServer(remote('https://mcp.example/long/path?version=20260101', { accept: 'application/json' })),
  ).toEqual([]);
});
