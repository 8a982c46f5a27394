import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { loadSubAgents, subAgentDigest, type SubAgentDefinition } from '@varve/agent/delegation';
import { loadHooks, type HookSource } from '@varve/agent/confirmation';
import { loadSkills, type Skill } from '@varve/skills';
import { SettingsError } from '../error.ts';
import { repositoryDirectories } from '../files/repository.ts';
import { commandFileIn } from './command-file.ts';
import { serverScripts } from './server-scripts.ts';
import { readConfiguration, slashes, type Configuration, type ConfigurationScope } from './configuration.ts';

/** Directories in which a trust decision is looked up. */
export interface TrustDirectories {
  /** Varve's data directory, absolute. */
  readonly home: string;
  /** Home directory of the user; absent, the user has no hooks and skills. */
  readonly userHome?: string;
}

/** Configuration of one directory, about which a person decides as a whole. */
export interface TrustSubject {
  readonly configuration: Configuration;
  /** Digests of the hooks, skills and sub-agents in it, as the functions that load them compute them. */
  readonly digests: readonly string[];
  /** Parts of it that have an effect by trust, in words of one line each; they contain names from the directory. */
  readonly runs: readonly string[];
}

/**
 * Returns the directories whose configuration counts for a workspace, with links resolved: the root of its repository
 * first, then those between, the workspace last. Without a repository, the workspace alone. The home directory of the
 * user is none of them.
 */
export async function configurationDirectories(
  workspace: string,
  { userHome }: Pick<TrustDirectories, 'userHome'>,
): Promise<readonly string[]> {
  const home = userHome === undefined ? undefined : await realpath(userHome).catch(() => userHome);
  const directories = await repositoryDirectories(await realpath(workspace));
  return directories.toReversed().filter((directory) => directory !== home);
}

/**
 * Reads the configuration of a directory with the scripts that its hooks name: of a project, also those that hooks of
 * the user name.
 *
 * @throws {SettingsError} `untrusted` if it changes while it is read; otherwise as `readConfiguration`.
 */
export async function trustSubject(
  directory: string,
  { home, userHome, scope = 'project' }: TrustDirectories & { readonly scope?: ConfigurationScope },
): Promise<TrustSubject> {
  const before = await readConfiguration(directory, { home, scope });
  const root = before.workspace;
  const { sources: all } = await hooksOf(root, { scope, userHome });
  // Those of a repository around it belong to its root.
  const sources = all.filter((source) => source.scope === 'user' || source.path.startsWith(`${root}${sep}`));
  const skills = await skillsOf(root, scope);
  const agents = await subAgentsOf(root, scope);
  const scripts = Object.fromEntries(scope === 'user' ? [] : sources.flatMap(namedFiles));
  const files = [...Object.keys(scripts), ...agents.map(({ path }) => relative(root, path))];
  const also = [...files, ...(scope === 'user' ? [] : await serverScripts(before, serversOf(agents)))];
  const configuration = await readConfiguration(root, { home, scope, also });
  checkUnchanged(before, configuration, scripts);
  checkAgents(agents, configuration);
  return {
    configuration,
    digests: [
      ...sources.flatMap((source) => digestsIn(source, scope)),
      ...[...skills, ...agents].map(({ digest }) => digest),
    ],
    runs: [
      ...sources.filter((source) => source.scope === scope).map(({ path }) => `hooks (${relative(root, path)})`),
      ...(configuration.read('.mcp.json') ? ['servers (.mcp.json)'] : []),
      ...skills.map(({ name, executes }) => `${executes.join(', ')} of the skill ${name}`),
      ...agents.map(describeAgent),
      ...(scope === 'project' ? commandsOf(configuration) : []),
    ],
  };
}

function hooksOf(
  root: string,
  { scope, userHome }: { readonly scope: ConfigurationScope; readonly userHome: string | undefined },
) {
  if (scope === 'user') return loadHooks({ home: root });
  return loadHooks({ workspace: root, ...(userHome !== undefined && { home: userHome }) });
}

/** Returns the skills in a directory that execute something. */
async function skillsOf(root: string, scope: ConfigurationScope): Promise<readonly Skill[]> {
  const { skills } = await loadSkills({ workspace: root, ...(scope === 'user' && { home: root }) });
  return skills.filter(({ path = '', executes }) => executes.length > 0 && path.startsWith(`${root}${sep}`));
}

/** Returns the sub-agents in a directory that name servers or a model. Those of the user may name a model. */
async function subAgentsOf(root: string, scope: ConfigurationScope): Promise<readonly SubAgentDefinition[]> {
  const place = scope === 'user' ? { home: root } : { workspace: root };
  // Servers are read to be shown, and not started.
  const { definitions } = await loadSubAgents({ ...place, trusted: () => true });
  return definitions.filter(
    ({ path, executes, model }) =>
      path.startsWith(`${root}${sep}`) && (executes || (scope === 'project' && model !== 'inherit')),
  );
}

/** Commands of a person for a session. */
function commandsOf({ files }: Configuration): readonly string[] {
  return files.flatMap(({ path }) => {
    const name = commandFileIn(path);
    return name === undefined ? [] : [`the command /${name} of sessions (${path})`];
  });
}

function serversOf(agents: readonly SubAgentDefinition[]): readonly SubAgentDefinition['mcpServers'][] {
  return agents.map(({ mcpServers }) => mcpServers);
}

function describeAgent({ name, model, executes }: SubAgentDefinition): string {
  const named = model === 'inherit' ? [] : [`the model ${JSON.stringify(model.slice(0, 100))}`];
  return `${[...(executes ? ['servers'] : []), ...named].join(' and ')} of the sub-agent ${name}`;
}

/** A file of the user counts in a workspace only with the files of the workspace that it names. */
function digestsIn(source: HookSource, scope: ConfigurationScope): readonly string[] {
  if (source.scope === scope) return scope === 'user' ? source.digests.slice(0, 1) : source.digests;
  return source.digests.slice(1);
}

function namedFiles({ hooks }: HookSource): readonly (readonly [string, string])[] {
  const all = Object.values(hooks).flatMap((groups) => groups.flatMap((group) => group.hooks));
  return all.flatMap((hook) => (hook.type === 'command' ? Object.entries(hook.files ?? {}) : []));
}

/** The digests were computed between the two readings, from files that were read again. */
function checkUnchanged(before: Configuration, after: Configuration, scripts: Readonly<Record<string, string>>): void {
  const now = new Map(after.files.map(({ path, sha256 }) => [path, sha256]));
  const isSame =
    before.files.every(({ path, sha256 }) => now.get(path) === sha256) &&
    Object.entries(scripts).every(([path, sha256]) => now.get(path) === sha256);
  if (!isSame) throw changed(after);
}

/** The files were loaded between the two readings. */
function checkAgents(agents: readonly SubAgentDefinition[], configuration: Configuration): void {
  for (const { path, digest } of agents) {
    const bytes = configuration.read(slashes(relative(configuration.workspace, path)));
    if (bytes === undefined || subAgentDigest(bytes) !== digest) throw changed(configuration);
  }
}

function changed({ workspace }: Configuration): SettingsError {
  return new SettingsError('untrusted', `The configuration of ${workspace} changed while it was read.`);
}
