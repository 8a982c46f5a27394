import { AgentError, type Agent, type AgentOptions } from '@varve/agent';
import { agentFromSpec, agentRegistries, type AgentRegistries, type MissingPart } from '@varve/agent/specs';
import type { Json } from '@varve/events';
import { LlmError, type LanguageModel, type ModelFromOptions, type ModelWrapper } from '@varve/llm';
import { describeProblem } from '@varve/events/specs';
import type { ContextFile } from '@varve/skills';
import type { Settings } from '@varve/settings';
import { toolKindsFor, type PreparedParts, type workspaceServer } from '@varve/settings/agent';
import type { Variables } from '@varve/text';
import type { ToolKind } from '@varve/tools';
import { objectOf } from '../../settings/settings-document.ts';
import type { ServerSettings } from '../../settings/server-settings.ts';
import { maskDeltas } from '../private/mask-deltas.ts';
import type { PrivateValues } from '../private/private-values.ts';

/** Environment of the agents of a server. */
export interface AgentEnvironment {
  /** Variables of the process: provider keys, and the base of the environment of commands. */
  readonly env: Variables;
  /** Data directory, which no call may change; absent for a server without one. */
  readonly home?: string | undefined;
  /** Home directory of the user, whose instructions, skills and hooks agents have. */
  readonly userHome?: string | undefined;
  /** Settings of the person; absent for a server without a data directory. */
  readonly settings?: Pick<ServerSettings, 'addresses' | 'at' | 'secrets'> | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Returns the directories of the skills of plugins that the user has installed and enabled. */
  readonly pluginSkills: () => Promise<readonly string[]>;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Wraps every model, for instance with traces. */
  readonly wrapModel?: ModelWrapper | undefined;
  readonly native?: ModelFromOptions['native'];
}

/** Options of {@link registriesFor}. */
export interface RegistryOptions extends Omit<AgentEnvironment, 'settings' | 'now' | 'pluginSkills'> {
  /** Settings for the workspace of the conversation. */
  readonly settings?: Settings | undefined;
  /** Instructions for the prompt of a new conversation. */
  readonly contextFiles: readonly ContextFile[];
  /** Kinds of the tools of servers. */
  readonly kinds: readonly ToolKind[];
  /** Opens the directory of an agent-server in which the tools work. Default: they work on this machine. */
  readonly openPlace?: Awaited<ReturnType<typeof workspaceServer>>['open'] | undefined;
  /** Walls around the commands of the agent. */
  readonly sandbox?: PreparedParts['walls']['sandbox'] | undefined;
}

/** Returns the kinds of parts of the agent of one conversation, with its credentials. */
export function registriesFor(privateValues: PrivateValues, options: RegistryOptions): AgentRegistries {
  const {
    env,
    home,
    fetch,
    native,
    wrapModel = (model) => model,
    settings,
    contextFiles,
    kinds,
    sandbox,
    openPlace,
  } = options;
  const masked = maskDeltas(privateValues.redactor);
  const secrets = (command: string): ReturnType<PrivateValues['secretsFor']> => privateValues.secretsFor(command);
  const registries = agentRegistries({
    models: {
      keys: env,
      credentials: (server) => privateValues.credentials(server),
      wrap: (model) => masked(wrapModel(model)),
      native,
      ...(fetch && { fetch }),
    },
    tools: () => ({ terminal: { inherit: env, secrets } }),
    // A command on another machine receives no secret.
    prompt: { secretNames: openPlace ? [] : privateValues.secretNames, files: contextFiles },
  });
  if (!settings || home === undefined) return { ...registries, tools: [...registries.tools, ...kinds] };
  const places = { ...(sandbox && { sandbox }), ...(openPlace && { openPlace }) };
  const setup = { home, env, keepsHistory: true, secrets, kinds, ...places };
  return { ...registries, tools: toolKindsFor(settings, setup) };
}

/** An agent, and what of its description it lacks. */
export interface BuiltAgent {
  readonly agent: Agent;
  readonly missing: readonly MissingPart[];
}

/**
 * Builds the agent of a request or a log. A model that cannot be called becomes one that fails when it is called, as in
 * the reference.
 *
 * @throws {AgentError} `not-rebuilt` for a description that lacks another essential part.
 */
export function buildAgent(spec: Json, registries: AgentRegistries, replace: Partial<AgentOptions>): BuiltAgent {
  const built = agentFromSpec(spec, { registries, replace });
  if (built.agent) return { agent: built.agent, missing: built.missing };
  const essential = built.missing.filter(({ isEssential }) => isEssential);
  const problem = essential.find(({ path }) => path.split('.')[0] === 'model');
  if (!problem || essential.length > 1) {
    throw new AgentError('not-rebuilt', `The agent cannot be built. ${essential.map(describeProblem).join(' ')}`);
  }
  const model = unavailableModel(modelSpecOf(spec), describeProblem(problem));
  return buildAgent(spec, registries, { ...replace, model });
}

/** Returns a model that fails with a reason. It keeps the spec of the model that it replaces. */
function unavailableModel(spec: Json, reason: string): LanguageModel {
  return {
    name: 'unavailable',
    spec,
    capabilities: { functionCalling: true, vision: false, streaming: false },
    generate: async () => {
      throw new LlmError('bad-request', `The model cannot be called: ${reason}`);
    },
  };
}

/** Returns the spec of the model in the description of an agent, which may be inside of another object. */
function modelSpecOf(spec: Json): Json {
  const { agent, model, llm } = objectOf(spec);
  return agent === undefined ? (model ?? llm ?? null) : modelSpecOf(agent);
}
