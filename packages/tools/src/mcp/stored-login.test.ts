import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { McpLogin, McpLogins } from './mcp-logins.ts';
import { storedLogin } from './stored-login.ts';

const url = 'https://mcp.example/mcp';

/** Starts a server that answers a refresh, and counts its requests. */
async function tokenServer(status: number, body: unknown): Promise<{ readonly origin: string; requests: number }> {
  const server = createServer((_, response) => {
    place.requests += 1;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const place = { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: 0 };
  return place;
}

function loginAt(origin: string, token: string): McpLogin {
  return {
    authorization: { authorizationServerUrl: origin },
    client: { client_id: 'one' },
    tokens: { access_token: token, refresh_token: 'refresh-0123', token_type: 'Bearer' },
  };
}

/** Logins in memory, of one server. */
function memoryLogins(first: McpLogin): McpLogins & { login: McpLogin | undefined } {
  return {
    login: first,
    async read() {
      return this.login;
    },
    async change(_, change) {
      return (this.login = await change(this.login));
    },
  };
}

const rejected = { response: new Response(), serverUrl: new URL(url), fetchFn: fetch };

test('tokens that another connection has refreshed are used instead of refreshing them again', async () => {
  const server = await tokenServer(200, { access_token: 'never-0123', token_type: 'Bearer' });
  const logins = memoryLogins(loginAt(server.origin, 'first-0123'));
  const login = storedLogin('issues', url, logins);
  expect(await login.token()).toBe('first-0123');
  logins.login = loginAt(server.origin, 'second-0123');
  await login.onUnauthorized?.(rejected);
  expect([await login.token(), server.requests]).toEqual(['second-0123', 0]);
});

test('tokens are masked, also those of a refresh', async () => {
  const { origin } = await tokenServer(200, { access_token: 'second-0123', token_type: 'Bearer' });
  const login = storedLogin('issues', url, memoryLogins(loginAt(origin, 'first-0123')));
  await login.token();
  await login.onUnauthorized?.(rejected);
  expect(login.mask({ text: 'first-0123, second-0123, refresh-0123' })).toEqual({
    text: '<secret-hidden>, <secret-hidden>, <secret-hidden>',
  });
});

test.for([
  [400, 'invalid_grant', undefined, 'It requires a login'],
  [503, 'temporarily_unavailable', 'first-0123', 'temporarily_unavailable'],
  [500, 'server_error', 'first-0123', 'server_error'],
] as const)('after a refresh with status %i and %s the token is %s', async ([status, error, token, message]) => {
  const { origin } = await tokenServer(status, { error, error_description: error });
  const logins = memoryLogins(loginAt(origin, 'first-0123'));
  const login = storedLogin('issues', url, logins);
  await login.token();
  await expect(login.onUnauthorized?.(rejected)).rejects.toThrow(message);
  expect(logins.login?.tokens.access_token).toBe(token);
});
