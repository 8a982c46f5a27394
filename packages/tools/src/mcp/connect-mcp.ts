import type { ConnectOptions, McpConnection } from './mcp-connection.ts';
import type { LogInOptions, McpLogin } from './mcp-logins.ts';
import type { McpAddress, McpServer } from './mcp-server.ts';

/**
 * Starts a server, or connects to it, and lists its tools.
 *
 * @throws {ToolError} `unusable` with the reason, and the end of what a process printed.
 */
export async function connectMcp(name: string, server: McpServer, options: ConnectOptions): Promise<McpConnection> {
  // The library of the protocol takes 95 ms and 8 MB to load, which an agent without such servers saves.
  const { openConnection } = await import('./mcp-connection.ts');
  return openConnection(name, server, options);
}

/**
 * Logs in with OAuth at a server: registers as a client, asks the person by `authorize`, and gets tokens. PKCE and the
 * state of the request are checked.
 *
 * @throws {ToolError} `unusable` with the reason; what the signal aborts with.
 */
export async function logInToMcp(name: string, server: McpAddress, options: LogInOptions): Promise<McpLogin> {
  const { logIn } = await import('./log-in.ts');
  return logIn(name, server, options);
}
