export { connectMcp } from './connect-mcp.ts';
export type { ConnectOptions, McpConnection } from './mcp-connection.ts';
export type { McpAddress, McpProcess, McpServer, McpToolDescription } from './mcp-server.ts';
export { startMcpServers, type McpServers, type McpServersOptions, type McpToolSpec } from './mcp-servers.ts';
export { mcpToolName } from './mcp-tool.ts';
