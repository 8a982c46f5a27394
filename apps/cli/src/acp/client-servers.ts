import type { McpServer } from '@agentclientprotocol/sdk';
import type { Settings } from '@varve/settings';

type Servers = NonNullable<ReturnType<typeof configuredServers>>;

function configuredServers(settings: Settings) {
  return settings.get('mcp_servers');
}

/** Returns the servers of tools of the settings and those of the client, which replace others of the same name. */
export function serversOf(settings: Settings, servers: readonly McpServer[]): Servers {
  return { ...configuredServers(settings), ...Object.fromEntries(servers.map((each) => [each.name, serverOf(each)])) };
}

function serverOf(server: McpServer): Servers[string] {
  if (!('type' in server)) return { command: server.command, args: server.args, env: pairsOf(server.env) };
  return { url: server.url, transport: server.type, headers: pairsOf(server.headers) };
}

function pairsOf(pairs: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
