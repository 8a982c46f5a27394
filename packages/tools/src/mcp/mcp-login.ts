import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { LogInOptions } from './log-in.ts';
import type { McpAddress } from './mcp-server.ts';

/** Result of a login with OAuth at a server. All of it is secret. */
export interface McpLogin {
  /** Server that authorizes, with its metadata. Tokens are refreshed there, whatever the server names later. */
  readonly authorization: OAuthDiscoveryState;
  /** Resource that the tokens are for. */
  readonly resource?: string | undefined;
  readonly client: StoredOAuthClientInformation;
  readonly tokens: StoredOAuthTokens;
}

/** Logins of a person by the URL of the server. */
export interface McpLogins {
  /** Returns the login at a server; undefined without one. */
  read(url: string): Promise<McpLogin | undefined>;
  /**
   * Replaces the login at a server by the result of `change`, removes it for undefined, and returns the result. No
   * other change, of another process either, is made concurrently.
   */
  change(
    url: string,
    change: (login: McpLogin | undefined) => Promise<McpLogin | undefined>,
  ): Promise<McpLogin | undefined>;
}

/**
 * Logs in with OAuth at a server: registers as a client, asks the person by `authorize`, and gets tokens. PKCE and the
 * state of the request are checked.
 *
 * @throws {ToolError} `unusable` with the reason; what the signal aborts with.
 */
export async function logInToMcp(name: string, server: McpAddress, options: LogInOptions): Promise<McpLogin> {
  // Loaded here, as in connectMcp.
  const { logIn } = await import('./log-in.ts');
  return logIn(name, server, options);
}
