import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { makeDirectories } from '@varve/files';
import type { Variables } from '@varve/text';
import { addLocalWorktree, jail } from '@varve/tools/workspace';
import { type Access, seenOwner } from '../access.ts';
import { RequestError } from '../error.ts';
import type { StartRequest } from '../reference/request/start-request.ts';

const run = promisify(execFile);

/** Options of {@link prepareWorkspace}. */
export interface WorkspaceOptions {
  /** Requested directory; a relative path starts at the directory of the process. */
  readonly path: string;
  /** Id of the conversation. */
  readonly id: string;
  /** Directory of worktrees; absent, the conversation uses the requested directory itself. */
  readonly worktreeRoot?: string | undefined;
  readonly env: Variables;
}

/**
 * Tests whether a path is the one that the front end makes up for a conversation without a workspace.
 *
 * @see agent-canvas 1.20.0, buildConversationWorkingDirForBackend
 */
export function isMadeUpPath(path: string, id: string): boolean {
  return path.endsWith(`/workspace/project/${id}`);
}

/**
 * Returns a request whose directory is below one of the owner of its sender, which must be able to read no other: the
 * files of the directory of a conversation can be read with its key.
 *
 * @throws {RequestError} `forbidden` for another directory.
 */
export function ownRequest(
  id: string,
  request: StartRequest,
  { access, workspaceRoot }: { readonly access: Access; readonly workspaceRoot: string },
): StartRequest {
  const owner = seenOwner(access);
  if (owner === undefined) return request;
  // The next repository above may be that of the server.
  if (request.worktree) throw new RequestError('forbidden', 'A worktree needs a key with the scope admin.');
  const root = join(resolve(workspaceRoot), 'owners', createHash('sha256').update(owner).digest('hex').slice(0, 32));
  const { working_dir: path } = request.workspace;
  makeDirectories(root, 0o700);
  try {
    const working_dir = jail(root).resolve(resolve(root, isMadeUpPath(path, id) ? id : path));
    return { ...request, workspace: { ...request.workspace, working_dir } };
  } catch (cause) {
    throw new RequestError('forbidden', `The workspace ${path} is outside of ${root}.`, { cause });
  }
}

/**
 * Creates the directory of a conversation, and a repository in it unless it is inside of one. Returns its absolute
 * path; with a root of worktrees, the path of a new worktree of its repository.
 *
 * @throws {RequestError} `invalid` for a path that cannot be a directory, and a worktree that git does not create.
 * @see agent-server 1.43.1, whose clients show the changes of the repository
 */
export async function prepareWorkspace(options: WorkspaceOptions): Promise<string> {
  const path = resolve(options.path);
  if (path.includes('\0')) throw new RequestError('invalid', 'The path of the workspace contains a null character.');
  try {
    makeDirectories(path, 0o777);
  } catch (cause) {
    throw new RequestError('invalid', `The workspace ${path} is not a directory and cannot be created.`, { cause });
  }
  const repository = await repositoryOf(path);
  if (repository === undefined) {
    // Without git there is no repository, and everything else works.
    await createRepository(path, options.env).catch(() => undefined);
    return path;
  }
  return options.worktreeRoot === undefined
    ? path
    : addWorktree(repository, { ...options, path }, options.worktreeRoot);
}

async function addWorktree(repository: string, { id, path }: WorkspaceOptions, root: string): Promise<string> {
  const target = join(root, id, basename(repository));
  try {
    makeDirectories(dirname(target), 0o700);
    // Filters of the repository are programs, too.
    await addLocalWorktree(path, target, { branch: `openhands/${id}` });
    return target;
  } catch (cause) {
    throw new RequestError('invalid', `git cannot create a worktree of ${repository}.`, { cause });
  }
}

/** Returns the nearest directory, from a path upwards, that is a repository. */
async function repositoryOf(path: string): Promise<string | undefined> {
  const repository = await stat(join(path, '.git')).catch(() => undefined);
  if (repository) return path;
  return dirname(path) === path ? undefined : repositoryOf(dirname(path));
}

/** Creates a repository without hooks. */
async function createRepository(directory: string, env: Variables): Promise<void> {
  await run('git', ['-c', 'core.hooksPath=/dev/null', '-C', directory, 'init', '--quiet'], {
    env: { PATH: env['PATH'], HOME: env['HOME'], GIT_TERMINAL_PROMPT: '0' },
    timeout: 30_000,
  });
}
