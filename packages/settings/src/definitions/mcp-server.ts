import * as z from 'zod';

const strings = z.record(z.string(), z.string());

/**
 * Server of the model context protocol, as the reference's settings describe it. Values of `env` and `headers` should
 * be references to secrets.
 *
 * @see software-agent-sdk MCPServer
 */
export const mcpServer = z.strictObject({
  url: z.string().optional(),
  transport: z.enum(['stdio', 'http', 'streamable-http', 'sse']).optional(),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  env: strings.optional(),
  cwd: z.string().optional(),
  description: z.string().optional(),
  icon: z.string().optional(),
  timeout: z.number().positive().optional(),
  sse_read_timeout: z.number().positive().optional(),
  keep_alive: z.boolean().optional(),
  headers: strings.optional(),
  auth: z.record(z.string(), z.json()).optional(),
  enabled: z.boolean().optional(),
});
