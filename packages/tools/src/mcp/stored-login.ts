import {
  InsufficientScopeError,
  OAuthError,
  refreshAuthorization,
  SdkHttpError,
  type AuthProvider,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import { redactor, shellWord, type Mask } from '@varve/text';
import { ToolError } from '../contract/error.ts';
import { limitedFetch } from './limited-fetch.ts';
import type { McpLogin, McpLogins } from './mcp-logins.ts';

/** Login of the person at a server, for one connection. */
export interface StoredLogin extends AuthProvider {
  /** Masks each token that the connection has sent or received: a server can return them in its results. */
  readonly mask: Mask;
  /**
   * Returns the sentence about a failure that another login fixes; undefined for any other one. Rights that are missing
   * are stored: the next login requests them.
   */
  problemOf(error: unknown): Promise<string | undefined>;
}

/** Longest list of missing rights that is stored, in characters. */
const maxScope = 2000;

/** Longest time of a refresh. */
const refreshMs = 30_000;

/** Refusals after which only another login gets tokens. */
const endingCodes: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

/**
 * Returns the login at a server. Its tokens are read for each request, because other processes refresh them too, and
 * are refreshed when the server rejects them.
 */
export function storedLogin(name: string, url: string, logins: McpLogins): StoredLogin {
  const secrets = new Set<string>();
  const command = `\`varve mcp login ${shellWord(name)}\`.`;
  let sent: string | undefined;
  const noted = (login: McpLogin | undefined): McpLogin | undefined => {
    for (const secret of login ? secretsOf(login) : []) secrets.add(secret);
    return login;
  };
  return {
    mask: redactor(() => [...secrets], { replacement: '<secret-hidden>' }).value,
    async token() {
      sent = noted(await logins.read(url))?.tokens.access_token;
      return sent;
    },
    async onUnauthorized() {
      const rejected = sent;
      const current = await logins.change(url, async (login) => {
        // Another connection has refreshed them, or the person has logged in again.
        if (login?.tokens.access_token !== rejected) return login;
        return noted(login && (await refreshed(login)));
      });
      if (!current) throw new ToolError('unusable', `It requires a login: ${command}`);
    },
    async problemOf(error) {
      // A new token was rejected as well.
      if (SdkHttpError.isInstance(error) && error.status === 401) return `It requires a login: ${command}`;
      if (!InsufficientScopeError.isInstance(error)) return undefined;
      const missingScope = error.requiredScope?.slice(0, maxScope);
      await logins.change(url, async (login) => login && { ...login, missingScope });
      return `It requires a login with more rights${missingScope === undefined ? '' : ` (${missingScope})`}: ${command}`;
    },
  };
}

/** Returns the login with new tokens; undefined if its server does not refresh them. */
async function refreshed(login: McpLogin): Promise<McpLogin | undefined> {
  const { authorization, client, tokens, resource } = login;
  // The library has stored more than a login states.
  const { authorizationServerUrl, authorizationServerMetadata: metadata } = authorization as OAuthDiscoveryState;
  if (tokens.refresh_token === undefined) return undefined;
  const send = limitedFetch();
  try {
    const received = await refreshAuthorization(authorizationServerUrl, {
      ...(metadata && { metadata }),
      clientInformation: client,
      refreshToken: tokens.refresh_token,
      ...(resource !== undefined && { resource }),
      fetchFn: async (address, init) => send(address, { ...init, signal: AbortSignal.timeout(refreshMs) }),
    });
    return { ...login, tokens: { ...received, scope: received.scope ?? tokens.scope } };
  } catch (error) {
    // A server that fails may answer later: the login stays.
    if (!OAuthError.isInstance(error) || !endingCodes.has(error.code)) throw error;
    return undefined;
  }
}

function secretsOf({ client, tokens }: McpLogin): readonly string[] {
  const { access_token: access, refresh_token: refresh, id_token: id } = tokens;
  return [access, refresh, id, client.client_secret].filter((secret) => secret !== undefined);
}
