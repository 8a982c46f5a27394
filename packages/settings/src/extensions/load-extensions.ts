import { realpath } from 'node:fs/promises';
import { loadSubAgents, type SubAgentDefinition } from '@varve/agent/delegation';
import { loadHooks, type HookConfig } from '@varve/agent/confirmation';
import { loadSkills, type Skill, type SourceProblem } from '@varve/skills';
import type { TrustDirectories } from '../trust/trust-subject.ts';
import { serversOfFiles, type FileServer } from './configured-servers.ts';
import { trustedParts, type UntrustedDirectory } from './trusted-parts.ts';

/** Options of {@link loadExtensions}. */
export interface ExtensionOptions extends TrustDirectories {
  /** Directory of the agent, absolute. */
  readonly workspace: string;
  /** Names of skills that are left out. */
  readonly disabledSkills?: readonly string[];
  /** Further directories of skills, absolute, such as those of plugins; files of the workspace and the user precede. */
  readonly skillDirectories?: readonly string[] | undefined;
}

/** What the files of a workspace and its user add to an agent. */
export interface Extensions {
  /** Trusted hooks; absent if there are none. */
  readonly hooks?: HookConfig;
  /** All skills; the commands, scripts and servers of those that are not trusted are left out. */
  readonly skills: readonly Skill[];
  /** Sub-agents that files define; they can do no more than the agent. */
  readonly subAgents: readonly SubAgentDefinition[];
  /** Servers of trusted files, the strongest first; those of the settings are not among them. */
  readonly servers: readonly FileServer[];
  /** Directories whose hooks, servers and commands have no effect. */
  readonly untrusted: readonly UntrustedDirectory[];
  /** Files that cannot be used, one sentence each, with names from the directories. */
  readonly warnings: readonly string[];
}

/**
 * Loads the hooks and skills of a workspace, of the repository around it and of the user. What runs programs has an
 * effect only if a person has trusted the configuration of its directory as it is.
 *
 * @throws {SettingsError} `untrusted` if a trusted configuration changes while it is loaded.
 */
export async function loadExtensions(options: ExtensionOptions): Promise<Extensions> {
  const { disabledSkills: disabled = [], skillDirectories: publicDirectories = [] } = options;
  const workspace = await existing(options.workspace);
  const userHome = await existing(options.userHome);
  if (workspace === undefined) return { skills: [], subAgents: [], servers: [], untrusted: [], warnings: [] };
  const parts = await trustedParts(workspace, { home: options.home, ...(userHome !== undefined && { userHome }) });
  const roots = { workspace, ...(userHome !== undefined && { home: userHome }), trusted: parts.isTrusted };
  const { hooks, problems: hookProblems } = await loadHooks(roots);
  const { skills, problems: skillProblems } = await loadSkills({ ...roots, disabled, publicDirectories });
  const { definitions: subAgents, problems: agentProblems } = await loadSubAgents(roots);
  await parts.checkUnchanged();
  const { servers, problems: serverProblems } = serversOfFiles(parts.trusted, skills, workspace);
  const problems = [...hookProblems, ...skillProblems, ...agentProblems];
  return {
    ...(Object.keys(hooks).length > 0 && { hooks }),
    skills,
    subAgents,
    servers,
    untrusted: parts.untrusted,
    warnings: [...problems.map(describeProblem), ...serverProblems],
  };
}

function describeProblem({ path, line, message }: SourceProblem): string {
  return `${path}${line === undefined ? '' : `:${line}`}: ${message}`;
}

/** Returns a directory with links resolved; undefined if it is missing. */
async function existing(path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : realpath(path).catch(() => undefined);
}
