import type { AgentRegistries } from '@varve/agent/specs';
import type { Json } from '@varve/events';
import { SettingsError } from '@varve/settings';
import { resolveServer, serversOfFile } from '@varve/settings/extensions';
import type { Variables } from '@varve/text';
import type { McpServer } from '@varve/tools/mcp';
import type { PrivateValues } from './private-values.ts';

/** Options of {@link startToolServers}. */
export interface ToolServersOptions {
  readonly privateValues: PrivateValues;
  /** Directory of relative paths, absolute. */
  readonly workspace: string;
  readonly env: Variables;
  /** Receives one sentence per server that does not start; its tools are missing. */
  readonly onProblem: (problem: string) => void;
}

/** Servers of the model context protocol of one conversation. Disposing ends those that it does not use. */
export interface ToolServers extends AsyncDisposable {
  /** Returns registries that have their tools. */
  extended(registries: AgentRegistries): AgentRegistries;
  /** Returns the description of an agent with their tools. */
  added<Agent extends Readonly<Record<string, unknown>>>(agent: Agent): Agent;
}

/** Starts the servers in the private record of a conversation. `${NAME}` in them stands for its secrets. */
export async function startToolServers(options: ToolServersOptions): Promise<ToolServers> {
  const servers = configured(options);
  if (Object.keys(servers).length === 0) return noServers;
  // Loaded here, because few conversations have servers.
  const { startMcpServers } = await import('@varve/tools/mcp');
  const started = await startMcpServers(servers, { env: options.env, secrets: options.privateValues.values });
  started.problems.forEach(options.onProblem);
  return {
    extended: (registries) => ({ ...registries, tools: [...registries.tools, started.kind] }),
    added: (agent) => ({ ...agent, tools: [...toolsOf(agent), ...started.tools] }),
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

const noServers: ToolServers = {
  extended: (registries) => registries,
  added: (agent) => agent,
  [Symbol.asyncDispose]: async () => undefined,
};

function configured({ privateValues, workspace, onProblem }: ToolServersOptions): Record<string, McpServer> {
  const { mcp = {}, secrets } = privateValues.record;
  const known = Object.entries(secrets).flatMap(([name, source]) =>
    source.kind === 'StaticSecret' ? [[name, source.value] as const] : [],
  );
  const { servers, invalid } = serversOfFile({ mcpServers: mcp });
  for (const name of invalid) onProblem(`The server ${name} is not valid.`);
  return Object.fromEntries(
    Object.entries(servers).flatMap(([name, config]) => {
      try {
        if (config.enabled === false) return [];
        return [[name, resolveServer(name, config, { directory: workspace, secrets: Object.fromEntries(known) })]];
      } catch (error) {
        if (!(error instanceof SettingsError)) throw error;
        onProblem(error.message);
        return [];
      }
    }),
  );
}

function toolsOf({ tools }: Readonly<Record<string, unknown>>): readonly Json[] {
  return Array.isArray(tools) ? (tools as readonly Json[]) : [];
}
