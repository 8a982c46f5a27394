import { join, resolve } from 'node:path';
import type { AgentOptions } from '@varve/agent';
import type { PermissionRule } from '@varve/agent/confirmation';
import { subAgentOf, withBuiltinSubAgents } from '@varve/agent/delegation';
import type { AgentRegistries } from '@varve/agent/specs';
import type { Json } from '@varve/events';
import { SettingsError, type Settings } from '@varve/settings';
import {
  prepareParts,
  prepareSubAgents,
  RoleModels,
  startServers,
  startsSubAgents,
  toolsAt,
  workspaceServer,
  type PreparedParts,
  type StartedServers,
  type StoredAgentParts,
  type UntrustedDirectory,
} from '@varve/settings/agent';
import { mcpLogins } from '@varve/settings/secrets';
import type { McpLogins } from '@varve/tools/mcp';
import * as z from 'zod';
import { RequestError } from '../../error.ts';
import { registriesFor, type AgentEnvironment } from './build-agent.ts';
import type { PrivateValues } from '../private/private-values.ts';
import { withReferenceKinds } from './reference-kinds.ts';
import { clientParts, type ClientParts, type ClientSources } from './client-parts.ts';
import type { ServerSettings } from '../../settings/server-settings.ts';

/** Options of {@link surroundingsOf}. */
export interface SurroundingsOptions extends Pick<ClientSources, 'agent' | 'agentDefinitions' | 'workspace'> {
  readonly environment: AgentEnvironment;
  readonly privateValues: PrivateValues;
  /** Agent profile whose settings apply; absent for none. */
  readonly profile?: Parameters<ServerSettings['at']>[1];
  /** Present for a stored conversation, whose prompt is in its log, and which stays where it is. */
  readonly stored?: Pick<StoredAgentParts, 'place'> | undefined;
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
  /** Takes over the walls around the commands of the agent, which disposing would close. */
  readonly takeWalls: () => Disposable;
  /** Returns the description of an agent with the tools of its servers. */
  readonly added: (agent: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/**
 * Prepares the surroundings of a conversation: those of `varve run` in its workspace, and what its client sent, which
 * takes precedence. Disposing ends servers that the conversation does not use.
 *
 * @throws {SettingsError} `untrusted` for a conversation with hooks that are no longer trusted; `invalid` for settings;
 * {@link RequestError} `invalid` for sub-agents of the client.
 */
export async function surroundingsOf(options: SurroundingsOptions): Promise<Surroundings> {
  const { environment, privateValues, workspace, onNotice } = options;
  const { home, env } = environment;
  await using created = new AsyncDisposableStack();
  const settings = await environment.settings?.at(workspace, options.profile);
  const { variables, values: masked, referable } = privateValues;
  const { record } = privateValues;
  const client = clientParts({ ...options, record });
  const { servers } = client;
  const remote = settings && (await workspaceServer({ ...options, settings, env, referable }));
  privateValues.conceal(remote?.secrets ?? []);
  for (const name of client.invalidServers) onNotice(`The server ${name} is not valid.`);
  const logins = loginsOf(environment);
  const shared = { workspace: resolve(workspace), env, variables, referable, masked, servers, logins };
  if (!settings || home === undefined) {
    const started = created.use(await startServers([], { ...shared, servers: servers ?? [] }));
    started.problems.forEach(onNotice);
    return await assembled(options, { client, servers: started, created, walls: new DisposableStack() });
  }
  const walls = created.use(new DisposableStack());
  const prepared = created.use(await preparedParts({ ...shared, settings, home }, client, options));
  walls.use(prepared.walls);
  [...settings.warnings, ...prepared.warnings, ...prepared.untrusted.map(untrustedNotice)].forEach(onNotice);
  const { servers: started } = prepared;
  return await assembled(options, { client, prepared, servers: started, settings, remote, created, walls });
}

async function preparedParts(
  shared: Omit<Parameters<typeof prepareParts>[0], 'places' | 'stored'>,
  { context }: ClientParts,
  { environment, privateValues, stored }: SurroundingsOptions,
): Promise<PreparedParts> {
  const { trustedHooks, plugins = [] } = privateValues.record;
  const installed = context.load_user_skills === false ? [] : await environment.pluginSkills();
  const prepared = await prepareParts({
    ...shared,
    userHome: environment.userHome,
    places: { project: context.load_project_skills, user: context.load_user_skills },
    disabledSkills: context.disabled_skills,
    skillDirectories: [...plugins.map((directory) => join(directory, 'skills')), ...installed],
    resumedHooks: 'trusted',
    ...(stored && { stored: trustedHooks ? { hooks: trustedHooks as Json } : {} }),
  });
  if (prepared.hooks && !trustedHooks) await privateValues.update({ trustedHooks: prepared.hooks });
  return prepared;
}

/** Parts that the surroundings are assembled of. */
interface Sources {
  readonly client: ClientParts;
  readonly prepared?: PreparedParts;
  readonly servers: StartedServers;
  readonly settings?: Settings;
  /** Agent-server on which the tools work. */
  readonly remote?: Awaited<ReturnType<typeof workspaceServer>> | undefined;
  /** Closes the sandbox. */
  readonly walls: DisposableStack;
  /** Ends the servers. */
  readonly created: AsyncDisposableStack;
}

async function assembled(options: SurroundingsOptions, sources: Sources): Promise<Surroundings> {
  const { environment, privateValues } = options;
  const { client, prepared, servers, settings, remote, walls } = sources;
  const sandbox = prepared?.walls.sandbox;
  privateValues.conceal(servers.secrets);
  const { home } = environment;
  const hooks = client.hooks(prepared?.hooks);
  const registries = registriesFor(privateValues, {
    ...environment,
    settings,
    contextFiles: prepared?.contextFiles ?? [],
    kinds: servers.kinds,
    sandbox,
    openPlace: remote?.open,
  });
  const parts = {
    skills: client.skills(prepared?.skills ?? []),
    ...(hooks && { hooks }),
    ...(prepared && { rules: prepared.rules }),
    ...(sandbox && { sandbox }),
    ...(home !== undefined && { protectedPaths: [home] }),
    recordsFiles: remote === undefined && settings?.get('files.record') !== false,
    ...(await subAgentsOf(options, sources)),
  };
  const owned = sources.created.move();
  return {
    registries: withReferenceKinds(registries),
    parts,
    rules: prepared?.rules,
    settings,
    takeWalls: () => walls.move(),
    added: (described) => ({ ...described, tools: [...toolsIn(remote?.place, described), ...servers.tools] }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Returns the sub-agents of an agent that can start some; those of the client replace those of files. */
async function subAgentsOf(
  { environment, privateValues, workspace, agent, onNotice }: SurroundingsOptions,
  { client, prepared, settings, created }: Sources,
): Promise<Pick<AgentOptions, 'subAgents'>> {
  if (!startsSubAgents(toolsOf(agent ?? {}))) return {};
  const definitions = client.subAgents(prepared?.subAgents ?? []);
  const { env, home } = environment;
  const secretStore = environment.settings?.secrets;
  if (!settings || !secretStore || home === undefined) {
    return { subAgents: withBuiltinSubAgents(definitions.map((definition) => subAgentOf(definition))) };
  }
  await using models = new RoleModels({ settings, secrets: secretStore, home, env, now: environment.now });
  const { variables, values: masked } = privateValues;
  const started = await prepareSubAgents(definitions, {
    models,
    workspace,
    startServers: (servers) =>
      startServers(servers, {
        workspace,
        env,
        variables,
        masked,
        logins: loginsOf(environment),
        sandbox: prepared?.walls.servers,
      }),
  });
  const { subAgents, secrets, problems } = created.use(started);
  privateValues.conceal(secrets);
  problems.forEach(onNotice);
  return { subAgents };
}

/** Returns the logins of the person at servers; undefined without settings. */
function loginsOf({ settings, home }: AgentEnvironment): McpLogins | undefined {
  return settings && home !== undefined ? mcpLogins({ home, secrets: settings.secrets }) : undefined;
}

function toolsOf({ tools }: Readonly<Record<string, unknown>>): readonly Json[] {
  return Array.isArray(tools) ? (tools as readonly Json[]) : [];
}

/** Returns the tools of an agent in a place. @throws {RequestError} `invalid` for one that works here only. */
function toolsIn(place: StoredAgentParts['place'], described: Readonly<Record<string, unknown>>): readonly Json[] {
  const tools = toolsOf(described);
  if (!place) return tools;
  try {
    return toolsAt(place, z.array(z.looseObject({ name: z.string() })).parse(tools)).map((tool) => ({ ...tool }));
  } catch (cause) {
    if (!(cause instanceof SettingsError)) throw cause;
    throw new RequestError('invalid', cause.message, { cause });
  }
}

function untrustedNotice({ directory, status, details }: UntrustedDirectory): string {
  return `The configuration of ${directory} has no effect (${status}): ${details.join(', ')}.`;
}
