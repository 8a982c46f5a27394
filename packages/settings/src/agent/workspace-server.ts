import { ToolError, type RemotePlace } from '@varve/tools';
import { remoteWorkspace, type Workspace } from '@varve/tools/workspace';
import { SettingsError } from '../error.ts';
import type { SandboxSetup } from './sandbox-from-settings.ts';
import type { StoredAgentParts } from './stored-agent-parts.ts';

/** Name of the secret, or the variable, with the key of the agent-server on which tools work. */
const keyName = 'WORKSPACE_SERVER_KEY';

/** Options of {@link workspaceServer}. */
export interface WorkspaceServerOptions extends Pick<SandboxSetup, 'settings' | 'workspace' | 'env'> {
  /** Secrets of the person by name. */
  readonly referable: Readonly<Record<string, string>>;
  /** Present for a stored conversation, which stays where it is. */
  readonly stored?: Pick<StoredAgentParts, 'place'> | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Agent-server on which the tools of an agent work. */
export interface WorkspaceServer {
  /** Absent for tools that work on this machine. */
  readonly place?: RemotePlace;
  /** Opens that directory, whatever place a tool names. */
  readonly open?: () => Workspace;
  /** Values that must never be stored. */
  readonly secrets: readonly string[];
}

/**
 * Returns the agent-server that the settings or the stored conversation name, after listing the directory there. Its
 * key is sent to the address of the settings only: that of a stored conversation may come from another person.
 *
 * @throws {SettingsError} `invalid` for a server that cannot be used, and for a flag that a stored conversation differs
 * from.
 */
export async function workspaceServer(options: WorkspaceServerOptions): Promise<WorkspaceServer> {
  const { settings, env, referable, stored, fetch } = options;
  const chosen = settings.get('workspace.server');
  const place = stored ? stored.place : placeOf(options);
  const isFlag = settings.entry('workspace.server')?.origin.kind === 'flag';
  if (isFlag && chosen !== place?.server) {
    const where = place?.server ?? 'this machine';
    throw new SettingsError('invalid', `The conversation works on ${where}, and cannot move to ${chosen}.`);
  }
  if (place === undefined) return { secrets: [] };
  const key = referable[keyName] ?? env[keyName];
  const { server: url, directory } = place;
  const apiKey = chosen === url ? key : undefined;
  const open = (): Workspace =>
    remoteWorkspace({ url, directory, ...(apiKey !== undefined && { apiKey }), ...(fetch && { fetch }) });
  try {
    await open().list();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const reason = `The directory ${directory} of the agent-server ${url} cannot be used: ${error.message}`;
    throw new SettingsError('invalid', reason, { cause: error });
  }
  return {
    place,
    open,
    secrets: key === undefined ? [] : [key],
  };
}

function placeOf({ settings, workspace }: WorkspaceServerOptions): RemotePlace | undefined {
  const server = settings.get('workspace.server');
  return server === undefined ? undefined : { server, directory: settings.get('workspace.directory') ?? workspace };
}
