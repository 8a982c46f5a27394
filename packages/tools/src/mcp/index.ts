export { connectMcp } from './connect-mcp.ts';
export { logInToMcp, type McpLogin, type McpLogins } from './mcp-login.ts';
export type { McpAddress, McpServer } from './mcp-server.ts';
export { startMcpServers, type McpServers, type McpToolSpec } from './mcp-servers.ts';
export type { AskForServer } from './server-question.ts';
