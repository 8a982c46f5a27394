import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpLogin } from '@varve/tools/mcp';
import { expect, onTestFinished, test } from 'vitest';
import { mcpLogins } from './mcp-logins.ts';
import { secretStore } from './secret-store.ts';

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'varve-logins-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  return home;
}

function loginWith(token: string): McpLogin {
  return {
    authorization: { authorizationServerUrl: 'https://login.example' },
    client: { client_id: 'one' },
    tokens: { access_token: token, token_type: 'Bearer' },
  };
}

const url = 'https://mcp.example/mcp';

test('a login is encrypted, and is that of one address', async () => {
  const home = newHome();
  const logins = mcpLogins({ home, secrets: secretStore({ home }) });
  expect(await logins.read(url)).toBeUndefined();
  await logins.change(url, async () => loginWith('canary-token'));
  expect(await logins.read(url)).toEqual(loginWith('canary-token'));
  expect(await logins.read('https://mcp.example/other')).toBeUndefined();
  for (const name of readdirSync(join(home, 'mcp-logins')))
    expect(readFileSync(join(home, 'mcp-logins', name), 'utf8')).not.toContain('canary');
  expect(await logins.change(url, async () => undefined)).toBeUndefined();
  expect(await logins.read(url)).toBeUndefined();
});

test('concurrent changes are made one after the other', async () => {
  const home = newHome();
  const secrets = secretStore({ home });
  const change = async (index: number): Promise<unknown> =>
    mcpLogins({ home, secrets }).change(url, async (before) => {
      return loginWith(`${before?.tokens.access_token ?? ''}${index}`);
    });
  await Promise.all([1, 2, 3].map(change));
  const { tokens } = (await mcpLogins({ home, secrets }).read(url)) ?? loginWith('');
  expect(tokens.access_token.split('').toSorted()).toEqual(['1', '2', '3']);
});
