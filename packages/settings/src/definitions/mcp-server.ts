import { parseJson } from '@varve/text';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { fileLimits } from './file-limits.ts';

const strings = lazy(() => z.record(z.string(), z.string()));

/**
 * Server of the model context protocol, as the reference's settings describe it. Values of `env` and `headers` should
 * be references to secrets.
 *
 * @see software-agent-sdk MCPServer
 */
export const mcpServer = lazy(() =>
  z.strictObject({
    url: z.string().optional(),
    transport: z.enum(['stdio', 'http', 'streamable-http', 'sse']).optional(),
    command: z.string().optional(),
    args: z.array(z.string()).optional(),
    env: strings().optional(),
    cwd: z.string().optional(),
    description: z.string().optional(),
    icon: z.string().optional(),
    timeout: z.number().positive().optional(),
    sse_read_timeout: z.number().positive().optional(),
    keep_alive: z.boolean().optional(),
    headers: strings().optional(),
    auth: z.record(z.string(), z.json()).optional(),
    enabled: z.boolean().optional(),
    /** False for a process that runs without walls. */
    sandbox: z.boolean().optional(),
  }),
);

/** Configuration of a server. */
export type McpServerConfig = z.output<ReturnType<typeof mcpServer>>;

const transport = lazy(() =>
  z
    .enum(['stdio', 'http', 'streamable-http', 'streamableHttp', 'sse'])
    .transform((name) => (name === 'streamableHttp' ? 'streamable-http' : name)),
);

/**
 * Entries of files for several agents: `type` is the transport, `disabled` the opposite of `enabled`, and other fields
 * of theirs are ignored.
 */
const fileEntry = lazy(() =>
  z
    .object({
      ...mcpServer().shape,
      type: transport().optional(),
      transport: transport().optional(),
      env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).optional(),
      disabled: z.boolean().optional(),
    })
    .transform(({ type, disabled, ...server }): McpServerConfig => {
      return { ...(type && { transport: type }), ...(disabled !== undefined && { enabled: !disabled }), ...server };
    }),
);

/**
 * Parses the bytes of `.mcp.json`; returns undefined for a file that has no effect. Trust and the start of servers read
 * it with this function: with two parsers, a file could start other scripts than those that a person trusts.
 */
export function parseServerFile(bytes: Uint8Array): unknown {
  return parseJson(new TextDecoder().decode(bytes), fileLimits);
}

/**
 * Returns the servers in parsed `.mcp.json`, and the names of those that are invalid.
 *
 * @see https://code.claude.com/docs/en/mcp (project scope)
 */
export function serversOfFile(json: unknown): {
  readonly servers: Readonly<Record<string, McpServerConfig>>;
  readonly invalid: readonly string[];
} {
  const { data } = z.object({ mcpServers: z.record(z.string(), z.unknown()).default({}) }).safeParse(json);
  if (!data) return { servers: {}, invalid: ['mcpServers'] };
  const parsed = Object.entries(data.mcpServers).map(
    ([name, entry]) => [name, fileEntry().safeParse(entry).data] as const,
  );
  return {
    servers: Object.fromEntries(parsed.flatMap(([name, server]) => (server ? [[name, server]] : []))),
    invalid: parsed.flatMap(([name, server]) => (server ? [] : [name])),
  };
}
