import type { McpServer } from '@agentclientprotocol/sdk';
import type { Settings } from '@varve/settings';

type Servers = NonNullable<ReturnType<typeof configuredServers>>;

function configuredServers(settings: Settings) {
  return settings.get('mcp_servers');
}

/** Returns servers of tools of a client as a value of the setting. */
export function serversOf(servers: readonly McpServer[]): Servers {
  return Object.fromEntries(servers.map((each) => [each.name, serverOf(each)]));
}

function serverOf(server: McpServer): Servers[string] {
  if (!('type' in server)) return { command: server.command, args: server.args, env: pairsOf(server.env) };
  return { url: server.url, transport: server.type, headers: pairsOf(server.headers) };
}

function pairsOf(pairs: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
