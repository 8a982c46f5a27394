import { join, sep } from 'node:path';
import type { PermissionRule, HookConfig } from '@varve/agent/confirmation';
import { readProjectContext, type ContextFile } from '@varve/skills';
import type { Settings } from '../layers/resolve-settings.ts';
import { loadExtensions, type Extensions } from '../extensions/load-extensions.ts';
import { hooksForRun, type ResumedHooks } from './hooks-for-run.ts';
import {
  personRules,
  probeSandbox,
  sandboxFromSettings,
  type AgentSandbox,
  type SandboxSetup,
} from './sandbox-from-settings.ts';
import { startServers, type StartedServers, type StartServersOptions } from './start-servers.ts';
import type { StoredAgentParts } from './stored-agent-parts.ts';

/** Places whose instructions and skills an agent may read; each is read unless it is false. */
export interface ReadPlaces {
  /** Workspace, and the repository around it. */
  readonly project?: boolean | undefined;
  /** Home directory of the user. */
  readonly user?: boolean | undefined;
}

/** Options of {@link prepareParts}. */
export interface PartsOptions extends Omit<StartServersOptions, 'stored' | 'sandbox'> {
  readonly settings: Settings;
  /** Varve's data directory. */
  readonly home: string;
  /** Home directory of the user, whose instructions, skills and hooks are read; absent, the user has none. */
  readonly userHome?: string | undefined;
  readonly askHost?: SandboxSetup['askHost'];
  readonly sandboxProblem?: SandboxSetup['sandboxProblem'];
  readonly places?: ReadPlaces | undefined;
  /** Names of skills that are left out, in addition to those of the settings. */
  readonly disabledSkills?: readonly string[] | undefined;
  /** Further directories of skills, absolute, whose skills are used whatever `places` are. */
  readonly skillDirectories?: readonly string[] | undefined;
  /** Present for a stored conversation, whose prompt is in its log. */
  readonly stored?: Pick<StoredAgentParts, 'hooks' | 'serverTools'> | undefined;
  /** Hooks of a stored conversation; default `equal`. */
  readonly resumedHooks?: ResumedHooks | undefined;
}

/** Parts of an agent that come from a workspace and its person. Disposing ends servers that no conversation uses. */
export interface PreparedParts
  extends AsyncDisposable, Pick<Extensions, 'skills' | 'subAgents' | 'untrusted' | 'warnings'> {
  /** Rules of the person for calls. */
  readonly rules: readonly PermissionRule[];
  /** Instructions for the prompt of a new conversation. */
  readonly contextFiles: readonly ContextFile[];
  /** Trusted hooks; absent without any, an empty object to use a stored conversation without its own. */
  readonly hooks?: HookConfig;
  readonly servers: StartedServers;
  /** Walls around the programs of the agent. To be closed after it, and after these parts. */
  readonly walls: AgentSandbox;
}

/**
 * Prepares what a workspace and its person add to any agent: rules, instructions, and the hooks, skills, sub-agents and
 * servers of files, of which a person has trusted what executes something.
 *
 * @throws {SettingsError} `untrusted` for a configuration that changes while it is loaded, and for hooks that have to
 * be trusted; `hooks-changed`.
 */
export async function prepareParts(options: PartsOptions): Promise<PreparedParts> {
  const { settings, home, workspace, stored, places = {}, skillDirectories = [] } = options;
  const disabledSkills = [...(settings.get('skills.disabled') ?? []), ...(options.disabledSkills ?? [])];
  // A command in a sandbox takes as long as reading the files.
  const probe = probeSandbox(options);
  const extensions = await loadExtensions({
    home,
    workspace,
    disabledSkills,
    skillDirectories,
    ...userHomeOf(options),
  });
  const hooks = hooksForRun(extensions.hooks, stored?.hooks, options.resumedHooks);
  const context = stored ? { files: [], warnings: [] } : await contextOf(options);
  const rules = await personRules(options);
  using opened = new DisposableStack();
  const walls = opened.use(sandboxFromSettings({ ...options, rules, problem: await probe }));
  const started = { ...options, stored: stored?.serverTools, sandbox: walls.servers };
  const servers = await startServers(extensions.servers, started);
  opened.move();
  return {
    rules,
    contextFiles: context.files,
    ...(hooks && { hooks }),
    skills: extensions.skills.filter(
      ({ scope = 'user', path = '' }) =>
        places[scope] !== false || skillDirectories.some((directory) => path.startsWith(`${directory}${sep}`)),
    ),
    subAgents: extensions.subAgents,
    servers,
    walls,
    warnings: [...context.warnings, ...extensions.warnings, ...walls.warnings, ...servers.problems],
    untrusted: extensions.untrusted,
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  };
}

/** Reads the instructions for agents of a new conversation; the prompt of a stored one is in its log. */
async function contextOf({
  places = {},
  ...options
}: PartsOptions): Promise<{ readonly files: readonly ContextFile[]; readonly warnings: readonly string[] }> {
  const isRead = ({ origin }: Pick<ContextFile, 'origin'>): boolean =>
    places[origin === 'user' ? 'user' : 'project'] !== false;
  const { files, skipped, unread } = await projectContext(options);
  const cut = files.filter(({ isCut }) => isCut);
  return {
    files: files.filter(isRead),
    warnings: [
      ...skipped.filter(isRead).map(({ path, reason }) => `${path} is not in the prompt. ${reason}`),
      ...(unread.length === 0 || places.project === false
        ? []
        : [`Files of other tools have no effect: ${unread.join(', ')}.`]),
      ...cut.filter(isRead).map(({ path, bytes }) => `${path} has ${bytes} bytes, and is cut.`),
    ],
  };
}

/** Reads the instructions of a workspace, of the user, and in varve's data directory. */
export function projectContext(
  options: Pick<PartsOptions, 'workspace' | 'home' | 'userHome'>,
): ReturnType<typeof readProjectContext> {
  const { userHome: home } = userHomeOf(options);
  return readProjectContext(options.workspace, {
    ...(home !== undefined && { home }),
    userFiles: [join(options.home, 'AGENTS.md')],
  });
}

function userHomeOf({ userHome }: Pick<PartsOptions, 'userHome'>): { readonly userHome?: string } {
  return userHome === undefined ? {} : { userHome };
}
