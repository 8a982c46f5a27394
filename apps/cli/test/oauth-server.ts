import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** MCP server with one tool, and the server that authorizes its clients. */
export interface OAuthServer {
  /** Address of the MCP server. */
  readonly url: string;
  /** Requests as `METHOD path`, without those of the tool. */
  readonly requests: string[];
  /** Authorization headers of the calls of the tool that were answered. */
  readonly callers: string[];
  /** Tokens that are valid, of which a test can remove some. */
  readonly accessTokens: Set<string>;
  readonly refreshTokens: Set<string>;
  /** Requests for a login: client and scope of each. */
  readonly asked: string[];
}

/** What the servers ask for. */
export interface OAuthServerOptions {
  /** Methods of the MCP server that need a login. Default: all. */
  readonly protects?: readonly string[];
  /** Rights that a call of the tool needs. Default: none. */
  readonly scope?: string;
}

interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Route = (request: IncomingMessage, parameters: URLSearchParams) => Reply | Promise<Reply>;

/** Starts the servers. The one that authorizes agrees to each request, and checks PKCE and the redirect. */
export async function oauthServer(options: OAuthServerOptions = {}): Promise<OAuthServer> {
  const state = { requests: [] as string[], callers: [] as string[], asked: [] as string[] };
  const tokens = { accessTokens: new Set<string>(), refreshTokens: new Set<string>() };
  let origin = '';
  const routes: Readonly<Record<string, Route>> = {
    ...authorizationRoutes({ ...tokens, ...state }, () => origin),
    'POST /mcp': async (request) => answered(request, { ...state, ...tokens, ...options, origin }),
    'GET /mcp': ({ headers }) => (isCaller(headers, tokens) ? { status: 405 } : refused(origin)),
    'GET /resource': () => ({ status: 200, body: { resource: `${origin}/mcp`, authorization_servers: [origin] } }),
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', origin);
    const name = `${request.method} ${pathname}`;
    if (pathname !== '/mcp') state.requests.push(name);
    const reply = async (): Promise<void> => {
      const { status, body, headers } = (await routes[name]?.(request, searchParams)) ?? { status: 404 };
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(body === undefined ? '' : JSON.stringify(body));
    };
    void reply();
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${origin}/mcp`, ...state, ...tokens };
}

function authorizationRoutes(
  { accessTokens, refreshTokens, asked: asks }: Pick<OAuthServer, 'accessTokens' | 'refreshTokens' | 'asked'>,
  origin: () => string,
): Readonly<Record<string, Route>> {
  /** Challenge and redirect of each code. */
  const codes = new Map<string, string>();
  const issued = (): Reply => {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    accessTokens.add(access);
    refreshTokens.add(refresh);
    return { status: 200, body: { access_token: access, refresh_token: refresh, token_type: 'Bearer' } };
  };
  return {
    'GET /.well-known/oauth-authorization-server': () => ({
      status: 200,
      body: {
        issuer: origin(),
        authorization_endpoint: `${origin()}/authorize`,
        token_endpoint: `${origin()}/token`,
        registration_endpoint: `${origin()}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      },
    }),
    'POST /register': async (request) => {
      return { status: 201, body: { ...(JSON.parse(await text(request)) as object), client_id: 'client-1' } };
    },
    'GET /authorize': (_, asked) => {
      asks.push(`${asked.get('client_id')} ${asked.get('scope')}`);
      const redirect = new URL(asked.get('redirect_uri') ?? '');
      const code = randomUUID();
      codes.set(code, `${asked.get('code_challenge')} ${redirect.href}`);
      redirect.search = String(new URLSearchParams({ code, state: asked.get('state') ?? '' }));
      return { status: 302, headers: { location: redirect.href } };
    },
    'POST /token': async (request) => {
      const sent = new URLSearchParams(await text(request));
      const challenge = createHash('sha256')
        .update(sent.get('code_verifier') ?? '')
        .digest('base64url');
      const isGranted =
        sent.get('grant_type') === 'refresh_token'
          ? refreshTokens.delete(sent.get('refresh_token') ?? '')
          : codes.get(sent.get('code') ?? '') === `${challenge} ${sent.get('redirect_uri')}`;
      return isGranted ? issued() : { status: 400, body: { error: 'invalid_grant' } };
    },
  };
}

const results: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'issues', version: '1' },
  },
  'tools/list': { tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] },
};

type Answering = Pick<OAuthServer, 'accessTokens' | 'callers' | 'asked'> &
  OAuthServerOptions & { readonly origin: string };

/** Answers a message of a client with a valid token. The result of the tool contains the token. */
async function answered(
  request: IncomingMessage,
  { accessTokens, callers, asked, protects, scope, origin }: Answering,
): Promise<Reply> {
  const { authorization = '' } = request.headers;
  const message = JSON.parse(await text(request)) as { readonly id?: number; readonly method: string };
  const isProtected = protects?.includes(message.method) ?? true;
  if (isProtected && !isCaller(request.headers, { accessTokens })) return refused(origin);
  if (message.id === undefined) return { status: 202 };
  const isCall = message.method === 'tools/call';
  if (isCall && scope !== undefined && !asked.at(-1)?.endsWith(scope))
    return { status: 403, headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` } };
  if (isCall) callers.push(authorization);
  const called = { content: [{ type: 'text', text: `You sent ${authorization}.` }] };
  const result = results[message.method] ?? called;
  return { status: 200, body: { jsonrpc: '2.0', id: message.id, result } };
}

function isCaller(
  { authorization = '' }: IncomingMessage['headers'],
  { accessTokens }: Pick<OAuthServer, 'accessTokens'>,
): boolean {
  return accessTokens.has(authorization.replace('Bearer ', ''));
}

function refused(origin: string): Reply {
  return { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${origin}/resource"` } };
}
