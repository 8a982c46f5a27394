import type { Agent } from '@varve/agent';
import type { Json } from '@varve/events';
import { LlmError, type LanguageModel } from '@varve/llm';
import type { AskForServer, McpLogins, McpServers } from '@varve/tools/mcp';
import { withoutUndefined } from '@varve/text';
import { SettingsError } from '../error.ts';
import type { Extensions } from '../extensions/load-extensions.ts';
import type { ModelRole } from '../profiles/model-profiles.ts';
import { mcpLogins } from '../secrets/mcp-logins.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { agentFromSettings, type AgentSetup } from './agent-from-settings.ts';
import type { ResumedHooks } from './hooks-for-run.ts';
import type { ModelNotices, ModelOptions } from './model-from-settings.ts';
import { personSecrets, type PersonSecrets } from './person-secrets.ts';
import { prepareParts, type PreparedParts } from './prepare-parts.ts';
import { resumedAgent, type ResumedAgent } from './resumed-agent.ts';
import { RoleModels } from './role-models.ts';
import type { SandboxSetup } from './sandbox-from-settings.ts';
import { startServers, type StartServersOptions } from './start-servers.ts';
import type { StoredAgentParts } from './stored-agent-parts.ts';
import { prepareSubAgents, startsSubAgents, type PreparedSubAgents } from './sub-agents.ts';
import { toolNames } from './tools-from-settings.ts';
import { workspaceServer, type WorkspaceServer } from './workspace-server.ts';

/** Options of {@link prepareAgent}. */
export interface PrepareAgentOptions
  extends
    Pick<AgentSetup, 'settings' | 'home' | 'env' | 'keepsHistory' | 'onNotice' | 'kinds' | 'signingKey'>,
    Pick<StartServersOptions, 'clientServers'>,
    Pick<SandboxSetup, 'sandboxProblem'> {
  /** Directory of the agent, absolute. */
  readonly workspace: string;
  /** Home directory of the user, whose instructions, skills and hooks are read; absent, the user has none. */
  readonly userHome?: string;
  /** Directories of skills of plugins, absolute. */
  readonly skillDirectories?: readonly string[];
  /** Secrets of the person: keys of models, and variables of the commands that name them. */
  readonly secrets: SecretStore;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Decides about a host that no rule of the sandbox names, once for each. Default: it is refused. */
  readonly askHost?: (host: string) => Promise<boolean>;
  /** Asks the person what a server of tools asks for during a call. Default: servers are not offered that. */
  readonly askForServer?: AskForServer;
  readonly fetch?: NonNullable<ModelOptions['fetch']>;
  readonly native?: ModelOptions['native'];
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
  /** Returns the model of a role with a profile of its own; undefined for another role. Throws as {@link model}. */
  ownModel(role: ModelRole): Promise<LanguageModel | undefined>;
  /**
   * Returns the model of a profile. Its key is among {@link secrets} if a role or a sub-agent uses it, or if it is in
   * the store of secrets. Throws as {@link prepareAgent}, `missing` for a profile that does not exist.
   */
  profileModel(name: string): Promise<LanguageModel>;
  /** Resources and prompts of its servers of tools; absent without any. */
  readonly offers?: McpServers['offers'];
  /** Names of its models about whose prices nothing is known: no limit of cost ends their calls. */
  readonly unpriced: readonly string[];
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
  const { settings } = options;
  await using created = new AsyncDisposableStack();
  const models = created.use(new RoleModels(options));
  const main = await models.create('agent');
  const summarizer = await models.own('condenser');
  const sides = await sideModelsOf(models);
  const modelKeys = [main, summarizer, sides].flatMap((each) => each?.secrets ?? []);
  const person = await personSecrets(options.secrets, modelKeys);
  const { referable, problems } = person;
  const remote = await workspaceServer({ ...options, referable, stored: ownParts(options) });
  const masked = [...person.masked, ...remote.secrets];
  const variables = withoutValues(person.variables, remote.secrets);
  const logins = mcpLogins(options);
  const parts = await prepareParts({ ...options, stored: ownParts(options), masked, variables, referable, logins });
  created.use(parts.walls);
  created.use(parts);
  const started = { models, masked, variables, logins };
  const subAgents = created.use(await subAgentsOf(parts, started, options));
  const ignored: string[] = [];
  const { agent, problems: missing } = agentOf(options, {
    ...setupOf(options, parts, remote),
    model: main.model,
    // A command on another machine is given no secret.
    secrets: remote.place ? {} : withoutValues(variables, subAgents?.secrets ?? []),
    ...withoutUndefined({ subAgents: subAgents?.subAgents, condenserModel: summarizer?.model }),
    onIgnoredOption: (problem) => ignored.push(problem),
  });
  const unpriced = [main, summarizer, subAgents && (await models.own('subagent'))].flatMap((each) =>
    each?.isPriced === false ? each.model.name : [],
  );
  const owned = created.move();
  return {
    agent,
    secrets: [...masked, ...parts.servers.secrets, ...(subAgents?.secrets ?? [])],
    model: async (role) => ((await models.own(role)) ?? main).model,
    ownModel: async (role) => (await models.own(role))?.model,
    profileModel: async (name) => (await models.profile(name)).model,
    ...(parts.servers.offers && { offers: parts.servers.offers }),
    unpriced,
    warnings: [
      ...settings.warnings,
      ...(settings.get('budget.cost_usd') === undefined ? [] : unpriced.map(withoutLimit)),
      ...problems,
      ...parts.warnings,
      ...(subAgents?.problems ?? []),
      ...sides.problems,
      ...ignored,
      ...missing,
    ],
    untrusted: parts.untrusted,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function withoutLimit(model: string): string {
  return `budget.cost_usd does not limit ${model}, because its price is not known: input_cost_per_token of its profile states it.`;
}

/** An imported conversation has none: if its log contains no prompt, the one of a new conversation is used. */
function ownParts({ stored }: PrepareAgentOptions): StoredAgentParts | undefined {
  return stored?.spec === undefined ? undefined : stored;
}

function agentOf({ stored }: PrepareAgentOptions, setup: AgentSetup): ResumedAgent {
  const current = agentFromSettings(setup);
  if (stored?.spec === undefined) return { agent: current, problems: [] };
  return resumedAgent({ ...setup, current, spec: stored.spec });
}

/** Returns the sub-agents of an agent that may start some; undefined for another one, whose models are not needed. */
async function subAgentsOf(
  { subAgents, walls }: PreparedParts,
  {
    models,
    ...secrets
  }: { readonly models: RoleModels; readonly logins: McpLogins } & Pick<PersonSecrets, 'masked' | 'variables'>,
  { settings, stored, workspace, env, askForServer }: PrepareAgentOptions,
): Promise<PreparedSubAgents | undefined> {
  const isOffered = startsSubAgents(toolNames(settings).map((name) => ({ name })));
  const { tools } = { tools: undefined, ...(stored?.spec as { readonly tools?: Json } | undefined) };
  if (!isOffered && !startsSubAgents(tools)) return undefined;
  return prepareSubAgents(subAgents, {
    models,
    workspace,
    startServers: (servers) =>
      startServers(servers, { workspace, env, ...secrets, sandbox: walls.servers, askForServer }),
  });
}

/** Models of roles without which the agent works: one that cannot be created is a problem. */
async function sideModelsOf(
  models: RoleModels,
): Promise<{ readonly secrets: readonly string[]; readonly problems: readonly string[] }> {
  const secrets: string[] = [];
  const problems: string[] = [];
  for (const role of ['title', 'ask'] as const) {
    try {
      secrets.push(...((await models.own(role))?.secrets ?? []));
    } catch (error) {
      if (!(error instanceof SettingsError || error instanceof LlmError)) throw error;
      problems.push(`The model of the role ${role} cannot be used. ${error.message}`);
    }
  }
  return { secrets, problems };
}

/** Keys of models are given to no command. */
function withoutValues(
  variables: Readonly<Record<string, string>>,
  values: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => !values.includes(value)));
}

function setupOf(
  options: PrepareAgentOptions,
  { servers, rules, contextFiles, skills, hooks, walls }: PreparedParts,
  { place, open: openPlace }: WorkspaceServer,
): Omit<AgentSetup, 'model'> {
  const { settings, home, env, keepsHistory, onNotice, kinds = [], signingKey, stored } = options;
  return {
    settings,
    home,
    env,
    keepsHistory,
    kinds: [...kinds, ...servers.kinds],
    serverTools: servers.tools,
    rules,
    contextFiles,
    skills,
    ...withoutUndefined({ place, openPlace, hooks, sandbox: walls.sandbox, onNotice, signingKey }),
    ...withoutUndefined({ parameters: stored?.parameters, resumed: stored }),
  };
}
