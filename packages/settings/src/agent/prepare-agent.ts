import { join } from 'node:path';
import type { Agent } from '@varve/agent';
import { readProjectContext, type ContextFile } from '@varve/agent/prompt';
import type { LanguageModel } from '@varve/llm';
import { loadExtensions, type Extensions } from '../extensions/load-extensions.ts';
import { permissionStore } from '../permissions/permission-store.ts';
import type { ModelRole } from '../profiles/model-profiles.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { secretsForRun } from '../secrets/secrets-for-run.ts';
import { agentFromSettings, unusedSettings, type AgentSetup } from './agent-from-settings.ts';
import { hooksForRun, type ResumedHooks } from './hooks-for-run.ts';
import type { ModelNotices, ModelOptions } from './model-from-settings.ts';
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
  const warnings = [...settings.warnings, ...unusedSettings(settings)];
  const extensions = await loadExtensions(options);
  const hooks = hooksForRun(extensions.hooks, stored?.hooks, options.resumedHooks);
  const models = new RoleModels(options);
  const main = await models.create('agent');
  const summarizer = await models.own('condenser');
  const { keys, variables, problems } = await secretsOf([...main.secrets, ...(summarizer?.secrets ?? [])], options);
  const context = stored ? { files: [], warnings: [] } : await contextOf(options);
  const agent = agentFromSettings({
    ...setupOf(options),
    model: main.model,
    secrets: variables,
    rules: (await permissionStore(home).list(workspace)).map(({ rule }) => rule),
    contextFiles: context.files,
    skills: extensions.skills,
    ...(hooks && { hooks }),
    ...(summarizer && { condenserModel: summarizer.model }),
  });
  return {
    agent,
    secrets: keys,
    model: async (role) => ((await models.own(role)) ?? main).model,
    warnings: [...warnings, ...problems, ...context.warnings, ...extensions.warnings],
    untrusted: extensions.untrusted,
    [Symbol.asyncDispose]: () => models[Symbol.asyncDispose](),
  };
}

function setupOf(options: PrepareAgentOptions): Omit<AgentSetup, 'model'> {
  const { settings, home, env, keepsHistory, onEndedPrograms, kinds, signingKey, stored } = options;
  return {
    settings,
    home,
    env,
    keepsHistory,
    ...(onEndedPrograms && { onEndedPrograms }),
    ...(kinds && { kinds }),
    ...(signingKey && { signingKey }),
    ...(stored?.parameters && { parameters: stored.parameters }),
    ...(stored && { resumed: stored }),
  };
}

/**
 * Returns all values that must never be stored, and the secrets that the commands of the agent may name: the keys of
 * its models are not among them.
 */
async function secretsOf(modelKeys: readonly string[], { secrets }: PrepareAgentOptions) {
  const { values, problems } = await secretsForRun(secrets);
  const variables = Object.entries(values).filter(([, value]) => !modelKeys.includes(value));
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
