export { connectMcp, logInToMcp } from './connect-mcp.ts';
export type { McpLogin, McpLogins } from './mcp-logins.ts';
export type { McpAddress, McpServer } from './mcp-server.ts';
export { startMcpServers, type McpServers, type McpToolSpec } from './mcp-servers.ts';
export type { AskForServer } from './ask-for-server.ts';
