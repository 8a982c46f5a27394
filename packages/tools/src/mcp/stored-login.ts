import { OAuthError, refreshAuthorization, type AuthProvider } from '@modelcontextprotocol/client';
import { redactor, shellWord, type Mask } from '@varve/text';
import { ToolError } from '../contract/error.ts';
import { limitedFetch } from './limited-fetch.ts';
import type { McpLogin, McpLogins } from './mcp-logins.ts';

/** Login of the person at a server, for one connection. */
export interface StoredLogin extends AuthProvider {
  /** Masks each token that the connection has sent or received: a server can return them in its results. */
  readonly mask: Mask;
}

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
      if (!current) throw new ToolError('unusable', `It requires a login: \`varve mcp login ${shellWord(name)}\`.`);
    },
  };
}

/** Returns the login with new tokens; undefined if its server does not refresh them. */
async function refreshed(login: McpLogin): Promise<McpLogin | undefined> {
  const { authorization, client, tokens, resource } = login;
  const { authorizationServerUrl, authorizationServerMetadata: metadata } = authorization;
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
    return { ...login, tokens: received };
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
