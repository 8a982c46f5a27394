import { join } from 'node:path';
import type { Agent } from '@varve/agent';
import { subAgentOf } from '@varve/agent/delegation';
import { readProjectContext, type ContextFile } from '@varve/agent/prompt';
import type { LanguageModel } from '@varve/llm';
import type { McpServers } from '@varve/tools/mcp';
import { configuredServers, type FileServer } from '../extensions/configured-servers.ts';
import { loadExtensions, type Extensions } from '../extensions/load-extensions.ts';
import { permissionStore } from '../permissions/permission-store.ts';
import type { ModelRole } from '../profiles/model-profiles.ts';
import { isOwnedSecret } from '../secrets/secret-source.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { secretsForRun } from '../secrets/secrets-for-run.ts';
import { agentFromSettings, type AgentSetup } from './agent-from-settings.ts';
import { hooksForRun, type ResumedHooks } from './hooks-for-run.ts';
import type { ModelNotices, ModelOptions } from './model-from-settings.ts';
import { resumedAgent } from './resumed-agent.ts';
import { RoleModels } from './role-models.ts';
import type { StoredAgentParts } from './stored-agent-parts.ts';

/** Options of {@link prepareAgent}. */
export interface PrepareAgentOptions extends Pick<
  AgentSetup,
  'settings' | 'home' | 'env' | 'keepsHistory' | 'onEndedPrograms' | 'kinds' | 'signingKey'
> {
  /** Directory of the agent, absolute. */
  readonly workspace: string;
  /** Home directory of the user, whose instructions, skills and hooks are read; absent, the user has none. */
  readonly userHome?: string;
  /** Secrets of the person: keys of models, and variables of the commands that name them. */
  readonly secrets: SecretStore;
  /** UTC milliseconds. */
  readonly now: () => number;
  readonly fetch?: NonNullable<ModelOptions['fetch']>;
  readonly notices?: ModelNotices;
  /** Model of the caller in place of the one of the settings. */
  readonly model?: LanguageModel;
  /** Present for a stored conversation. */
  readonly stored?: StoredAgentParts;
  /** Hooks of a stored conversation; default `equal`. */
  readonly resumedHooks?: ResumedHooks;
}

/** An agent for one conversation. Disposed after the conversation is closed. */
export interface PreparedAgent extends AsyncDisposable {
  readonly agent: Agent;
  /** Values that must never be stored: the option `secrets` of a conversation. */
  readonly secrets: readonly string[];
  /** Returns the model of a role; that of the agent for a role without a profile. Throws as {@link prepareAgent}. */
  model(role: ModelRole): Promise<LanguageModel>;
  /** Problems, and settings without an effect: one sentence each, which may contain text of files. */
  readonly warnings: readonly string[];
  /** Directories whose hooks, servers and commands have no effect until a person trusts them. */
  readonly untrusted: Extensions['untrusted'];
}

/**
 * Prepares the agent that settings describe for a workspace: its models with their keys, secrets, rules of the
 * person, instructions of the project, and the hooks and skills that a person has trusted.
 *
 * @throws {SettingsError} as `modelFromSettings` and `agentFromSettings` do; {@link LlmError} for an unknown provider
 * or a missing key.
 */
export async function prepareAgent(options: PrepareAgentOptions): Promise<PreparedAgent> {
  const { settings, home, workspace, stored } = options;
  await using created = new AsyncDisposableStack();
  const extensions = await loadExtensions({ ...options, disabledSkills: settings.get('skills.disabled') ?? [] });
  const hooks = hooksForRun(extensions.hooks, stored?.hooks, options.resumedHooks);
  const models = created.use(new RoleModels(options));
  const main = await models.create('agent');
  const summarizer = await models.own('condenser');
  const { keys, variables, problems } = await secretsOf([...main.secrets, ...(summarizer?.secrets ?? [])], options);
  const context = stored ? { files: [], warnings: [] } : await contextOf(options);
  const servers = await startServers(extensions.servers, { ...options, values: variables, keys });
  created.use(servers);
  const setup = { ...setupOf(options, servers), secrets: variables };
  const current = agentFromSettings({
    ...setup,
    model: main.model,
    rules: (await permissionStore(home).list(workspace)).map(({ rule }) => rule),
    contextFiles: context.files,
    skills: extensions.skills,
    subAgents: extensions.subAgents.map((definition) => subAgentOf(definition)),
    ...(hooks && { hooks }),
    ...(summarizer && { condenserModel: summarizer.model }),
  });
  const { agent, problems: missing } =
    stored?.spec === undefined
      ? { agent: current, problems: [] }
      : resumedAgent({ ...setup, current, spec: stored.spec });
  const owned = created.move();
  return {
    agent,
    secrets: keys,
    model: async (role) => ((await models.own(role)) ?? main).model,
    warnings: [
      ...settings.warnings,
      ...problems,
      ...context.warnings,
      ...extensions.warnings,
      ...servers.problems,
      ...missing,
    ],
    untrusted: extensions.untrusted,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function setupOf(options: PrepareAgentOptions, servers: StartedServers): Omit<AgentSetup, 'model'> {
  const { settings, home, env, keepsHistory, onEndedPrograms, kinds = [], signingKey, stored } = options;
  return {
    settings,
    home,
    env,
    keepsHistory,
    kinds: [...kinds, ...servers.kinds],
    serverTools: servers.tools,
    ...(onEndedPrograms && { onEndedPrograms }),
    ...(signingKey && { signingKey }),
    ...(stored?.parameters && { parameters: stored.parameters }),
    ...(stored && { resumed: stored }),
  };
}

interface ServerOptions extends Pick<PrepareAgentOptions, 'settings' | 'workspace' | 'env' | 'stored'> {
  /** Secrets that servers may be given, by name. */
  readonly values: Readonly<Record<string, string>>;
  readonly keys: readonly string[];
}

interface StartedServers extends AsyncDisposable, Pick<McpServers, 'tools' | 'problems'> {
  readonly kinds: readonly McpServers['kind'][];
}

/** Starts the servers. Those of a stored conversation that do not start answer each call with that. */
async function startServers(files: readonly FileServer[], options: ServerOptions): Promise<StartedServers> {
  const { settings, workspace, env, values, keys, stored } = options;
  const { servers, problems } = configuredServers(settings, files, { workspace, secrets: values });
  const { serverTools = [] } = stored ?? {};
  if (Object.keys(servers).length === 0 && serverTools.length === 0)
    return { tools: [], kinds: [], problems, [Symbol.asyncDispose]: async () => undefined };
  // Loaded here, because few runs have servers.
  const { startMcpServers } = await import('@varve/tools/mcp');
  const started = await startMcpServers(servers, { env, secrets: keys });
  const isStarted = (server: string): boolean => started.tools.some(({ params }) => params.server === server);
  return {
    tools: [...started.tools, ...serverTools.filter(({ params }) => !isStarted(params.server))],
    kinds: [started.kind],
    problems: [...problems, ...started.problems],
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

/**
 * Returns all values that must never be stored, and the secrets that the commands of the agent may name: the keys of
 * its models are not among them.
 */
async function secretsOf(modelKeys: readonly string[], { secrets }: PrepareAgentOptions) {
  const { values, problems } = await secretsForRun(secrets);
  const variables = Object.entries(values).filter(
    ([name, value]) => !isOwnedSecret(name) && !modelKeys.includes(value),
  );
  return { keys: [...modelKeys, ...Object.values(values)], variables: Object.fromEntries(variables), problems };
}

/** Reads the instructions for agents of a new conversation; the prompt of a stored one is in its log. */
async function contextOf(
  options: PrepareAgentOptions,
): Promise<{ readonly files: readonly ContextFile[]; readonly warnings: readonly string[] }> {
  const { files, skipped } = await projectContext(options);
  const cut = files.filter(({ isCut }) => isCut);
  return {
    files,
    warnings: [
      ...skipped.map(({ path, reason }) => `${path} is not in the prompt. ${reason}`),
      ...cut.map(({ path, bytes }) => `${path} has ${bytes} bytes, and is cut.`),
    ],
  };
}

/** Reads the instructions of a workspace, of the user, and in varve's data directory. */
export function projectContext({
  workspace,
  home,
  userHome,
}: Pick<PrepareAgentOptions, 'workspace' | 'home' | 'userHome'>): ReturnType<typeof readProjectContext> {
  return readProjectContext(workspace, {
    ...(userHome !== undefined && { home: userHome }),
    userFiles: [join(home, 'AGENTS.md')],
  });
}
