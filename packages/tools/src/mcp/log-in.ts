import { randomBytes } from 'node:crypto';
import {
  Client,
  UnauthorizedError,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { ToolError } from '../contract/error.ts';
import { addressTransport } from './address-transport.ts';
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
  // Headers of the settings are for the server, not for the server that authorizes.
  const address = { ...server, headers: {} };
  const transport = addressTransport(address, new StartBudget(), providerOf(progress, options.redirectUrl, state));
  const client = new Client({ name: 'varve', version: '0' });
  try {
    await client.connect(transport, { signal }).catch((error: unknown) => {
      if (!UnauthorizedError.isInstance(error)) throw error;
    });
    if (!progress.url) throw new Error('It answers without a login.');
    if (!/^https?:$/.test(progress.url.protocol)) throw new Error('Its address for the browser is invalid.');
    const { searchParams } = await authorize(progress.url, state);
    if (searchParams.get('state') !== state) throw new Error('The address is the answer to another request.');
    await transport.finishAuth(searchParams);
    const { authorization, resource, client: registered, tokens } = progress;
    if (!authorization || !registered || !tokens) throw new Error('It sent no tokens.');
    return { authorization, resource, client: registered, tokens };
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

function providerOf(progress: Progress, redirectUrl: string, state: string): OAuthClientProvider {
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
    clientInformation: () => progress.client,
    saveClientInformation: (client) => void (progress.client = client),
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
