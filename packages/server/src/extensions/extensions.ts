import { resolve } from 'node:path';
import { realpath } from 'node:fs/promises';
import { builtinSubAgents, loadSubAgents, type SubAgentDefinition } from '@varve/agent/delegation';
import type { HookConfig } from '@varve/agent/confirmation';
import { loadSkills, type Skill } from '@varve/skills';
import { projectContext, loadExtensions } from '@varve/settings/agent';

/** Options of {@link extensions}. */
export interface ExtensionsOptions {
  /** Data directory of varve, with what a person trusts; without one, nothing is trusted. */
  readonly home?: string | undefined;
  /** Home directory of the user. */
  readonly userHome: string;
  /** Directory of relative paths. */
  readonly workspaceRoot: string;
  /** Returns the directories of the skills of plugins that are installed and enabled. */
  readonly pluginSkills: () => Promise<readonly string[]>;
  /** Returns names of skills that are left out. */
  readonly disabledSkills: () => Promise<readonly string[]>;
}

/** Places whose files a client asks for. */
export interface Places {
  /** Directory of a project, absolute or relative to that of the server; absent for none. */
  readonly project?: string | undefined;
  readonly user: boolean;
}

/** Instructions in a file such as AGENTS.md. */
export interface Instructions {
  readonly path: string;
  readonly text: string;
  readonly scope: 'project' | 'user';
}

/** Skills and instructions of some places. */
export interface FoundSkills {
  readonly skills: readonly Skill[];
  readonly instructions: readonly Instructions[];
}

/** What the files of projects and of the user add to agents. */
export interface Extensions {
  skills(places: Places): Promise<FoundSkills>;
  /**
   * Returns the hooks of a project and its user that a person has trusted; undefined if there are none, and for files
   * that cannot be read.
   */
  hooks(project: string): Promise<HookConfig | undefined>;
  subAgents(places: Places): Promise<readonly SubAgentDefinition[]>;
  /** Sub-agents of varve itself. */
  readonly builtinSubAgents: readonly { readonly name: string; readonly description: string }[];
}

/** Reads the extensions of agents. Files with errors are left out. */
export function extensions(options: ExtensionsOptions): Extensions {
  const { home, userHome, workspaceRoot } = options;
  /** Returns a directory that exists; one that does not has no files. */
  const directoryOf = async (project: string | undefined): Promise<string | undefined> =>
    project === undefined ? undefined : realpath(resolve(workspaceRoot, project)).catch(() => undefined);
  return {
    async skills({ project, user }) {
      const workspace = await directoryOf(project);
      const [disabled, publicDirectories] = [await options.disabledSkills(), await options.pluginSkills()];
      const { skills } = await loadSkills({
        // A directory without files, for a request without a project.
        workspace: workspace ?? userHome,
        disabled,
        ...(user && { home: userHome, publicDirectories }),
      });
      const files = workspace === undefined ? [] : (await projectContext({ workspace, home: home ?? userHome })).files;
      return {
        skills: workspace === undefined ? skills.filter(({ scope }) => scope === 'user') : skills,
        instructions: files
          .filter(({ origin }) => origin === 'repository')
          .map(({ path, text }) => ({ path, text, scope: 'project' })),
      };
    },
    async hooks(project) {
      const workspace = await directoryOf(project);
      if (workspace === undefined || home === undefined) return undefined;
      const { hooks } = await loadExtensions({ workspace, home, userHome });
      return hooks;
    },
    async subAgents({ project, user }) {
      const workspace = await directoryOf(project);
      const { definitions } = await loadSubAgents({
        ...(workspace !== undefined && { workspace }),
        ...(user && { home: userHome }),
      });
      return definitions;
    },
    builtinSubAgents,
  };
}
