import type { Agent } from '@varve/agent';
import { subAgentOf } from '@varve/agent/delegation';
import type { LanguageModel } from '@varve/llm';
import type { Extensions } from '../extensions/load-extensions.ts';
import type { ModelRole } from '../profiles/model-profiles.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { agentFromSettings, type AgentSetup } from './agent-from-settings.ts';
import type { ResumedHooks } from './hooks-for-run.ts';
import type { ModelNotices, ModelOptions } from './model-from-settings.ts';
import { personSecrets } from './person-secrets.ts';
import { prepareParts } from './prepare-parts.ts';
import { resumedAgent } from './resumed-agent.ts';
import { RoleModels } from './role-models.ts';
import type { StartedServers } from './start-servers.ts';
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
  const { settings, stored, secrets } = options;
  await using created = new AsyncDisposableStack();
  const models = created.use(new RoleModels(options));
  const main = await models.create('agent');
  const summarizer = await models.own('condenser');
  const modelKeys = [...main.secrets, ...(summarizer?.secrets ?? [])];
  const { masked, variables, problems } = await personSecrets(secrets, modelKeys);
  const parts = created.use(await prepareParts({ ...options, masked, variables }));
  const { rules, contextFiles, skills, hooks } = parts;
  const setup = { ...setupOf(options, parts.servers), secrets: variables };
  const current = agentFromSettings({
    ...setup,
    model: main.model,
    rules,
    contextFiles,
    skills,
    subAgents: parts.subAgents.map((definition) => subAgentOf(definition)),
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
    secrets: masked,
    model: async (role) => ((await models.own(role)) ?? main).model,
    warnings: [...settings.warnings, ...problems, ...parts.warnings, ...missing],
    untrusted: parts.untrusted,
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
