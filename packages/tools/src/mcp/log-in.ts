import { randomBytes } from 'node:crypto';
import {
  auth,
  Client,
  computeScopeUnion,
  discoverOAuthServerInfo,
  UnauthorizedError,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  type Transport,
} from '@modelcontextprotocol/client';
import { ToolError } from '../contract/error.ts';
import { addressTransport } from './address-transport.ts';
import { limitedFetch } from './limited-fetch.ts';
import { StartBudget } from './message-limits.ts';
import type { LogInOptions, McpLogin } from './mcp-logins.ts';
import type { McpAddress } from './mcp-server.ts';

/** What the library stores during one login. A login begins without anything of an earlier one. */
interface Progress {
  authorization?: OAuthDiscoveryState;
  resource?: string;
  client?: StoredOAuthClientInformation;
  verifier?: string;
  url?: URL;
  tokens?: StoredOAuthTokens;
}

/** Logs in. See `logInToMcp`. */
export async function logIn(name: string, server: McpAddress, options: LogInOptions): Promise<McpLogin> {
  const { authorize, signal } = options;
  const state = randomBytes(16).toString('base64url');
  const progress: Progress = {};
  const provider = providerOf(progress, { redirectUrl: options.redirectUrl, state, client: server.client });
  // Headers of the settings are for the server, not for the server that authorizes.
  const address = { ...server, headers: {} };
  const transport = addressTransport(address, new StartBudget(), provider);
  const client = new Client({ name: 'varve', version: '0' });
  try {
    // A missing right is requested without asking the server, which accepts the login for everything else.
    if (options.before?.missingScope === undefined) await provokeRefusal(client, transport, signal);
    if (!progress.url) await requestUnasked(server.url, provider, options);
    if (!progress.url) throw new Error('It answers without a login.');
    if (!/^https?:$/.test(progress.url.protocol)) throw new Error('Its address for the browser is invalid.');
    const scope = progress.url.searchParams.get('scope') ?? undefined;
    const { searchParams } = await authorize(progress.url, state);
    if (searchParams.get('state') !== state) throw new Error('The address is the answer to another request.');
    await transport.finishAuth(searchParams);
    const { authorization, resource, client: registered, tokens } = progress;
    if (!authorization || !registered || !tokens) throw new Error('It sent no tokens.');
    // Without a scope in the reply, all of the requested one is granted (RFC 6749, section 5.1).
    return { authorization, resource, client: registered, tokens: { ...tokens, scope: tokens.scope ?? scope } };
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError('unusable', `The login at the server ${name} failed. ${reason.slice(0, 1000)}`, {
      cause: error,
    });
  } finally {
    await client.close().catch(() => undefined);
  }
}

/** Lets the library begin a login with what the server refuses: some refuse the list only. */
async function provokeRefusal(client: Client, transport: Transport, signal: AbortSignal): Promise<void> {
  try {
    await client.connect(transport, { signal });
    // The client would print a line for a server without tools.
    if (client.getServerCapabilities()?.tools) await client.listTools(undefined, { signal }).catch(() => undefined);
  } catch (error) {
    if (!UnauthorizedError.isInstance(error)) throw error;
  }
}

/** Begins a login that the server does not ask for yet: some refuse calls only. Nothing begins without its metadata. */
async function requestUnasked(
  serverUrl: string,
  provider: OAuthClientProvider,
  { before, signal }: LogInOptions,
): Promise<void> {
  const send = limitedFetch();
  const fetchFn = async (url: string | URL, init?: RequestInit) => send(url, { ...init, signal });
  const known = before?.authorization.resourceMetadataUrl;
  const found = await discoverOAuthServerInfo(serverUrl, {
    fetchFn,
    ...(known !== undefined && { resourceMetadataUrl: new URL(known) }),
  });
  if (!found.authorizationServerMetadata) return;
  await provider.saveDiscoveryState?.({ ...found, ...(known !== undefined && { resourceMetadataUrl: known }) });
  const scope = computeScopeUnion(before?.tokens.scope, before?.missingScope);
  await auth(provider, { serverUrl, fetchFn, ...(scope !== undefined && { scope }) });
}

/** Options of {@link providerOf}. */
interface ProviderOptions {
  readonly redirectUrl: string;
  readonly state: string;
  readonly client: McpAddress['client'];
}

function providerOf(progress: Progress, { redirectUrl, state, client }: ProviderOptions): OAuthClientProvider {
  return {
    redirectUrl,
    clientMetadata: {
      client_name: 'varve',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => state,
    // The library warns about a client that names no issuer.
    clientInformation(context) {
      if (client) progress.client ??= { ...client, ...context };
      return progress.client;
    },
    saveClientInformation: (registered) => void (progress.client = registered),
    tokens: () => progress.tokens,
    saveTokens: (tokens) => void (progress.tokens = tokens),
    redirectToAuthorization: (url) => void (progress.url = url),
    saveCodeVerifier: (verifier) => void (progress.verifier = verifier),
    codeVerifier: () => progress.verifier ?? '',
    saveResourceUrl: (resource) => void (progress.resource = resource),
    saveDiscoveryState: (found) => void (progress.authorization = found),
    discoveryState: () => progress.authorization,
  };
}
