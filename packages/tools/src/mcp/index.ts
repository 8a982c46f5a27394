export { connectMcp } from './connect-mcp.ts';
export type { McpConnection } from './mcp-connection.ts';
export type { McpServer } from './mcp-server.ts';
export { startMcpServers, type McpServers, type McpToolSpec } from './mcp-servers.ts';
