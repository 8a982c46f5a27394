import type { AgentOptions } from '@varve/agent';
import type { PermissionRule } from '@varve/agent/confirmation';
import { subAgentOf, withBuiltinSubAgents } from '@varve/agent/delegation';
import type { AgentRegistries } from '@varve/agent/specs';
import type { Json } from '@varve/events';
import { SettingsError, type Settings } from '@varve/settings';
import { prepareParts, startServers, type PreparedParts, type StartedServers } from '@varve/settings/agent';
import type { UntrustedDirectory } from '@varve/settings/extensions';
import { RequestError } from '../request-error.ts';
import { registriesFor, type AgentEnvironment } from './build-agent.ts';
import type { PrivateValues } from './private-values.ts';
import { withReferenceKinds } from './reference-kinds.ts';
import { mergedHooks } from './request-hooks.ts';
import { requestServers } from './request-servers.ts';
import { agentContextOf, withRequestSkills } from './request-skills.ts';

/** Options of {@link surroundingsOf}. */
export interface SurroundingsOptions {
  readonly environment: AgentEnvironment;
  readonly privateValues: PrivateValues;
  /** Directory of the agent, absolute. */
  readonly workspace: string;
  /** The agent of the client, in the JSON of the protocol; absent for a conversation of another program. */
  readonly agent?: Readonly<Record<string, unknown>> | undefined;
  /** False for a stored conversation, whose prompt is in its log. */
  readonly isNew: boolean;
  /** Receives a sentence per server that does not start, file that is not read, and directory that is not trusted. */
  readonly onNotice: (notice: string) => void;
}

/** What the client, the workspace and the person add to the agent of a conversation. */
export interface Surroundings extends AsyncDisposable {
  readonly registries: AgentRegistries;
  /** Parts of the agent that no description of it contains. */
  readonly parts: Partial<AgentOptions>;
  /** Rules of the person for calls; absent without settings. */
  readonly rules?: readonly PermissionRule[] | undefined;
  /** Settings for the workspace; absent without a data directory. */
  readonly settings?: Settings | undefined;
  /** Returns the description of an agent with the tools of its servers. */
  readonly added: (agent: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/**
 * Prepares the surroundings of a conversation: those of `varve run` in its workspace, and what its client sent, which
 * takes precedence. Disposing ends servers that the conversation does not use.
 *
 * @throws {RequestError} `conflict` for a conversation with hooks that are no longer trusted, and for settings that are
 * invalid or change while they are read.
 */
export async function surroundingsOf(options: SurroundingsOptions): Promise<Surroundings> {
  try {
    return await foundSurroundings(options);
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause;
    throw new RequestError('conflict', cause.message, { cause });
  }
}

async function foundSurroundings(options: SurroundingsOptions): Promise<Surroundings> {
  const { environment, privateValues, workspace, onNotice } = options;
  const { home, env } = environment;
  const settings = await environment.settings?.at(workspace);
  const { variables, values: masked } = privateValues;
  const servers = requestServers(privateValues.record.mcp, workspace, onNotice);
  const shared = { workspace, env, variables, masked, servers };
  if (!settings || home === undefined) {
    const started = await startServers([], { ...shared, servers: servers ?? [] });
    started.problems.forEach(onNotice);
    return assembled(options, { servers: started });
  }
  const prepared = await preparedParts({ ...shared, settings, home }, options);
  [...settings.warnings, ...prepared.warnings, ...prepared.untrusted.map(untrustedNotice)].forEach(onNotice);
  return assembled(options, { prepared, servers: prepared.servers, settings });
}

async function preparedParts(
  shared: Omit<Parameters<typeof prepareParts>[0], 'places' | 'stored'>,
  { environment, privateValues, agent, isNew }: SurroundingsOptions,
): Promise<PreparedParts> {
  const context = agentContextOf(agent);
  const { trustedHooks } = privateValues.record;
  const prepared = await prepareParts({
    ...shared,
    userHome: environment.userHome,
    places: { project: context.load_project_skills, user: context.load_user_skills },
    disabledSkills: context.disabled_skills,
    resumedHooks: 'trusted',
    ...(!isNew && { stored: trustedHooks ? { hooks: trustedHooks as Json } : {} }),
  });
  if (prepared.hooks && !trustedHooks) await privateValues.update({ trustedHooks: prepared.hooks });
  return prepared;
}

interface Found {
  readonly prepared?: PreparedParts;
  readonly servers: StartedServers;
  readonly settings?: Settings;
}

function assembled(
  { environment, privateValues, agent }: SurroundingsOptions,
  { prepared, servers, settings }: Found,
): Surroundings {
  const { home } = environment;
  const hooks = mergedHooks(prepared?.hooks, privateValues.record.hooks);
  const registries = registriesFor(privateValues, {
    ...environment,
    settings,
    contextFiles: prepared?.contextFiles ?? [],
    kinds: servers.kinds,
  });
  const subAgents = (prepared?.subAgents ?? []).map((definition) => subAgentOf(definition));
  return {
    registries: withReferenceKinds(registries),
    parts: {
      skills: withRequestSkills(agent, prepared?.skills ?? []),
      ...(hooks && { hooks }),
      ...(prepared && { rules: prepared.rules }),
      ...(home !== undefined && { protectedPaths: [home] }),
      ...(startsAgents(agent) && { subAgents: withBuiltinSubAgents(subAgents) }),
    },
    rules: prepared?.rules,
    settings,
    added: (described) => ({ ...described, tools: [...toolsOf(described), ...servers.tools] }),
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  };
}

const startingTools = new Set(['task', 'task_tool_set', 'TaskToolSet', 'TaskTool', 'delegate', 'DelegateTool']);

/** Reports whether an agent has a tool that starts sub-agents. */
function startsAgents(agent: SurroundingsOptions['agent']): boolean {
  return toolsOf(agent ?? {}).some((tool) => {
    const name = typeof tool === 'object' && tool !== null && 'name' in tool ? tool['name'] : undefined;
    return typeof name === 'string' && startingTools.has(name);
  });
}

function toolsOf({ tools }: Readonly<Record<string, unknown>>): readonly Json[] {
  return Array.isArray(tools) ? (tools as readonly Json[]) : [];
}

function untrustedNotice({ directory, status, details }: UntrustedDirectory): string {
  return `The configuration of ${directory} has no effect (${status}): ${details.join(', ')}.`;
}
