export { loadExtensions, type ExtensionOptions, type Extensions } from './load-extensions.ts';
export type { UntrustedDirectory } from './trusted-parts.ts';
export { configuredServers, type ConfiguredServers, type FileServer } from './configured-servers.ts';
export { resolveServer, type ServerContext } from './resolve-server.ts';
export { secretsOfConfig, secretsOfServer } from './secrets-of-server.ts';
export { serversOfFile, type McpServerConfig } from '../definitions/mcp-server.ts';
