import type { McpServer } from '@agentclientprotocol/sdk';

/** Returns servers of tools of a client as a value of the setting. */
export function serversOf(servers: readonly McpServer[]): Readonly<Record<string, object>> {
  return Object.fromEntries(servers.map((each) => [each.name, serverOf(each)]));
}

function serverOf(server: McpServer): object {
  if (!('type' in server)) return { command: server.command, args: server.args, env: pairsOf(server.env) };
  return { url: server.url, transport: server.type, headers: pairsOf(server.headers) };
}

function pairsOf(pairs: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
