import { defineAgent } from '@varve/agent';
import { subAgentOf, withBuiltinSubAgents, type SubAgent, type SubAgentDefinition } from '@varve/agent/delegation';
import { toolset, type Toolset } from '@varve/agent/specs';
import type { Json } from '@varve/events';
import { LlmError, type LanguageModel } from '@varve/llm';
import { serversOfFile } from '../definitions/mcp-server.ts';
import { SettingsError } from '../error.ts';
import type { FileServer } from '../extensions/configured-servers.ts';
import type { ConfiguredModel } from './model-from-settings.ts';
import type { RoleModels } from './role-models.ts';
import type { StartedServers } from './start-servers.ts';

/** Sub-agents of one agent. Disposing ends their servers that no conversation uses. */
export interface PreparedSubAgents extends AsyncDisposable {
  readonly subAgents: readonly SubAgent[];
  /** Keys of their models, and secrets in the configurations of their servers. */
  readonly secrets: readonly string[];
  /** Models and servers that files name and that cannot be used, one sentence each. */
  readonly problems: readonly string[];
}

/** Names of the tools that start sub-agents, as specs of agents contain them. */
const startingTools: ReadonlySet<unknown> = new Set([
  'task',
  'delegate',
  'task_tool_set',
  'TaskToolSet',
  'TaskTool',
  'DelegateTool',
]);

/** Reports whether the tools in the spec of an agent can start sub-agents. */
export function startsSubAgents(tools: Toolset['spec'] | Json | undefined): boolean {
  const list: readonly Json[] = Array.isArray(tools) ? tools : [];
  return list.some(
    (tool) => typeof tool === 'object' && tool !== null && 'name' in tool && startingTools.has(tool['name']),
  );
}

/** Options of {@link prepareSubAgents}. */
export interface SubAgentOptions {
  readonly models: RoleModels;
  /** Directory of relative paths of servers, absolute. */
  readonly workspace: string;
  readonly startServers: (servers: readonly FileServer[]) => Promise<StartedServers>;
}

/**
 * Returns the built-in sub-agents and those of files. Each uses the model of the role `subagent`, or without one that
 * of its parent; a file may name another profile of the person, that of a project only if it is trusted. The servers of
 * trusted files are started now, and only their sub-agents have the tools.
 *
 * @throws as `modelFromSettings` for the profile of the role.
 */
export async function prepareSubAgents(
  definitions: readonly SubAgentDefinition[],
  options: SubAgentOptions,
): Promise<PreparedSubAgents> {
  await using created = new AsyncDisposableStack();
  const inherited = await options.models.own('subagent');
  const prepared: PreparedFile[] = [];
  for (const definition of definitions) {
    const preparedFile = await prepareFile(definition, options);
    created.use(preparedFile.servers);
    prepared.push(preparedFile);
  }
  const all = withBuiltinSubAgents(prepared.map(({ subAgent }) => subAgent));
  const owned = created.move();
  return {
    subAgents: inherited ? all.map((subAgent) => withParentModel(subAgent, inherited.model)) : all,
    secrets: [inherited, ...prepared.flatMap(({ model, servers }) => [model, servers])].flatMap(
      (file) => file?.secrets ?? [],
    ),
    problems: prepared.flatMap(({ problems }) => problems),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface PreparedFile {
  readonly subAgent: SubAgent;
  readonly model: ConfiguredModel | undefined;
  readonly servers: StartedServers | undefined;
  readonly problems: readonly string[];
}

async function prepareFile(definition: SubAgentDefinition, options: SubAgentOptions): Promise<PreparedFile> {
  const { problem, found: model } = await namedModel(definition, options.models);
  const { servers, problems } = await startedServers(definition, options);
  const usable = isUsable(definition) ? definition : { ...definition, model: 'inherit' };
  const subAgent = subAgentOf(usable, { model: () => model?.model });
  return {
    subAgent: servers ? withServers(subAgent, toolset(servers.tools, servers.kinds)) : subAgent,
    model,
    servers,
    problems: [...(problem === undefined ? [] : [problem]), ...problems],
  };
}

/** Starts the servers of a trusted file; another one has none. */
async function startedServers(
  { mcpServers, path }: SubAgentDefinition,
  { workspace, startServers }: SubAgentOptions,
): Promise<Pick<PreparedFile, 'servers' | 'problems'>> {
  if (Object.keys(mcpServers).length === 0) return { servers: undefined, problems: [] };
  const { servers: named, invalid } = serversOfFile({ mcpServers });
  const files = Object.entries(named).map(([name, config]) => ({ name, config, directory: workspace }));
  const servers = await startServers(files);
  const problems = [...invalid.map((name) => `The server ${name} is not valid.`), ...servers.problems];
  return { servers, problems: problems.map((problem) => `${path}: ${problem}`) };
}

/** A tool with the name of one that the sub-agent has from its parent is left out. */
function withServers(subAgent: SubAgent, servers: Toolset): SubAgent {
  return {
    ...subAgent,
    create(parent, context) {
      const agent = subAgent.create(parent, context);
      const tools: Toolset = (inner) => {
        const fromParent = agent.tools(inner);
        const names = new Set(fromParent.map(({ name }) => name));
        const added = servers(inner);
        for (const tool of added) if (names.has(tool.name)) void tool.close?.();
        return [...fromParent, ...added.filter(({ name }) => !names.has(name))];
      };
      return defineAgent({ ...agent, tools });
    },
  };
}

function isUsable({ model, scope, isTrusted }: SubAgentDefinition): boolean {
  return model === 'inherit' || scope === 'user' || isTrusted;
}

/** A profile that cannot be used prevents the tasks of its sub-agent, and nothing else. */
async function namedModel(
  definition: SubAgentDefinition,
  models: RoleModels,
): Promise<{ readonly found?: ConfiguredModel; readonly problem?: string }> {
  const { model, path } = definition;
  if (model === 'inherit') return {};
  if (!isUsable(definition))
    return { problem: `${path}: the model ${model} has no effect: the project is not trusted.` };
  try {
    return { found: await models.profile(model) };
  } catch (error) {
    if (!(error instanceof SettingsError || error instanceof LlmError)) throw error;
    return { problem: `${path}: the model ${model} cannot be used. ${error.message}` };
  }
}

/** What inherits the model of the parent has this one. */
function withParentModel(subAgent: SubAgent, model: LanguageModel): SubAgent {
  return {
    ...subAgent,
    create: (parent, context) => subAgent.create(defineAgent({ ...parent, model }), context),
  };
}
