import { RequestError, type McpServer } from '@agentclientprotocol/sdk';
import type { McpServer as ToolServer } from '@varve/tools/mcp';

/**
 * Returns the servers of tools of a client. Their values are literal: a project may have written them.
 *
 * @throws {RequestError} for an address that is not of the web.
 */
export function serversOf(servers: readonly McpServer[], directory: string): Readonly<Record<string, ToolServer>> {
  return Object.fromEntries(servers.map((each) => [each.name, serverOf(each, directory)]));
}

function serverOf(server: McpServer, directory: string): ToolServer {
  if (!('type' in server)) {
    const { command, args, env } = server;
    return { transport: 'stdio', command, args, env: pairsOf(env), directory };
  }
  const { name, type, url, headers } = server;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw RequestError.invalidParams({ name, url }, `The server ${name} has an address that is not valid.`);
  return { transport: type, url, headers: pairsOf(headers) };
}

function pairsOf(pairs: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
