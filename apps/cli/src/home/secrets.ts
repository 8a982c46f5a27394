import { mcpLogins, secretStore, type SecretStore } from '@varve/settings/secrets';
import type { McpLogins } from '@varve/tools/mcp';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { varveHome } from './varve-home.ts';

/** Returns the secrets of the person, encrypted with OH_SECRET_KEY or a key in varve's data directory. */
export function secretsOf(io: TerminalIo): SecretStore {
  const { OH_SECRET_KEY: passphrase, OH_INTERNAL_SERVER_URL: internalUrl } = io.env;
  return secretStore({ home: varveHome(io), passphrase, ...(internalUrl && { internalUrl }) });
}

/** Returns the logins of the person at MCP servers, encrypted as the secrets are. */
export function loginsOf(io: TerminalIo): McpLogins {
  return mcpLogins({ home: varveHome(io), secrets: secretsOf(io) });
}
