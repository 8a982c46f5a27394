import { posix } from 'node:path';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { writeAtomically } from '@varve/files';
import { ToolError } from '../contract/error.ts';
import { isBelow } from '../files/real-path.ts';
import type { GitChange } from '../git/git-changes.ts';
import { gitRepository } from '../git/git-repository.ts';
import { agentServer, discard, type AgentServer, type AgentServerOptions } from './agent-server.ts';
import { fileChunks, uploadBody, readAll } from './byte-streams.ts';
import { prepareHostPath, openHostFile } from './host-file.ts';
import { type PollOptions, remoteCommand } from './remote-command.ts';
import { remoteGit } from './remote-git.ts';
import { listRemotely } from './list-remotely.ts';
import { mapSystemErrors } from './system-call.ts';
import type { Workspace } from './workspace.ts';
import { createWorktree, deleteWorktree } from './worktree.ts';

/** Options of {@link remoteWorkspace}. */
export interface RemoteWorkspaceOptions extends AgentServerOptions, Partial<PollOptions> {
  /** Absolute path on the server. */
  readonly directory: string;
}

const changes = lazy(() => z.array(z.looseObject({ status: z.string(), path: z.string() })));
const diff = lazy(() =>
  z.looseObject({
    modified: z.string().nullish(),
    original: z.string().nullish(),
    binary: z.boolean().nullish(),
  }),
);
const statuses = new Map<string, GitChange['status']>([
  ['ADDED', 'ADDED'],
  ['MOVED', 'ADDED'],
  ['DELETED', 'DELETED'],
]);
const healthMs = 10_000;

/**
 * Returns the workspace of a directory on an agent-server, accessed through the server's routes. Paths are checked
 * without resolving links: the owner of the key may run any command on the server anyway.
 *
 * @throws {ToolError} `invalid-input` when the directory is not absolute.
 * @see software-agent-sdk openhands/sdk/workspace/remote (here copies are streamed and put in place in one step)
 */
export function remoteWorkspace(options: RemoteWorkspaceOptions): Workspace {
  const { pollMs = 100, patienceMs = 15_000 } = options;
  if (!posix.isAbsolute(options.directory))
    throw new ToolError('invalid-input', `The directory ${options.directory} is not absolute.`);
  const directory = posix.resolve(options.directory);
  const server = agentServer(options);
  const inside = (path: string): string => pathBelow(directory, path);
  const execute: Workspace['execute'] = async (command, commandOptions = {}) =>
    remoteCommand(server, command, inside(commandOptions.directory ?? '.'), { ...commandOptions, pollMs, patienceMs });
  // Git commands may start in the real directory of a worktree, which need not be below the workspace path as written.
  const git = remoteGit((command, commandOptions) =>
    remoteCommand(server, command, commandOptions.directory ?? directory, { ...commandOptions, pollMs, patienceMs }),
  );
  const real = async (path: string, signal?: AbortSignal): Promise<string> => {
    const way = posix.relative(directory, inside(path));
    const { stdout } = await execute('pwd -P', { ...(signal && { signal }) });
    return posix.join(stdout.replace(/\n$/, ''), way);
  };
  return {
    directory,
    isAlive: ({ signal } = {}) => isAnswering(server, signal),
    ...fileMethods(server, inside),
    list: async (path = '.', { signal } = {}) => listRemotely(execute, path, signal),
    execute,
    ...gitMethods(server, inside),
    async addWorktree(path, worktreeOptions = {}) {
      const open = (where: string) => gitRepository(where, worktreeOptions.signal, git);
      const place = inside(path);
      await createWorktree(open, directory, await real(path, worktreeOptions.signal), worktreeOptions);
      return remoteWorkspace({ ...options, directory: place });
    },
    async removeWorktree(path, worktreeOptions = {}) {
      const open = (where: string) => gitRepository(where, worktreeOptions.signal, git);
      await deleteWorktree(open, directory, await real(path, worktreeOptions.signal), worktreeOptions);
    },
  };
}

function pathBelow(directory: string, path: string): string {
  const whole = posix.resolve(directory, path);
  if (path.includes('\0') || !isBelow(whole, directory))
    throw new ToolError('invalid-input', `The path ${JSON.stringify(path)} leads outside of ${directory}.`);
  return whole;
}

async function isAnswering(server: AgentServer, signal: AbortSignal | undefined): Promise<boolean> {
  const limit = AbortSignal.timeout(healthMs);
  const either = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  return server.send('/health', { signal: either }).then(
    async ({ body }) => (await body?.cancel(), true),
    () => false,
  );
}

function gitMethods(server: AgentServer, inside: (path: string) => string): Pick<Workspace, 'changes' | 'diff'> {
  return {
    async changes(path = '.', { ref, signal } = {}) {
      const changed = await server.json(changes(), '/api/git/changes', { query: { path: inside(path), ref }, signal });
      return changed.map((change) => ({ path: change.path, status: statuses.get(change.status) ?? 'UPDATED' }));
    },
    async diff(path, { ref, signal } = {}) {
      const answer = await server.json(diff(), '/api/git/diff', { query: { path: inside(path), ref }, signal });
      return { modified: answer.modified ?? '', original: answer.original ?? '', isBinary: answer.binary ?? false };
    },
  };
}

function fileMethods(
  server: AgentServer,
  inside: (path: string) => string,
): Pick<Workspace, 'read' | 'write' | 'upload' | 'download'> {
  const fetched = (path: string, signal: AbortSignal | undefined): Promise<AsyncIterable<Uint8Array>> =>
    server.bytes('/api/file/download', { query: { path: inside(path) }, signal });
  const sent = async (path: string, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined) => {
    const request = { method: 'POST', query: { path: inside(path) }, ...uploadBody(bytes), signal } as const;
    await discard(await server.send('/api/file/upload', request));
  };
  return {
    read: (path, { signal } = {}) =>
      mapSystemErrors(`Reading ${path}`, signal, async () => readAll(path, await fetched(path, signal))),
    write: (path, content, { signal } = {}) =>
      mapSystemErrors(`Writing ${path}`, signal, () => sent(path, ReadableStream.from([Buffer.from(content)]), signal)),
    upload: (source, destination, { signal } = {}) =>
      mapSystemErrors(`Copying ${source} to ${destination}`, signal, async () => {
        inside(destination);
        await using file = await openHostFile(source);
        await sent(destination, fileChunks(file, signal), signal);
      }),
    download: (source, destination, { signal } = {}) =>
      mapSystemErrors(`Copying ${source} to ${destination}`, signal, async () => {
        inside(source);
        const place = await prepareHostPath(destination);
        await writeAtomically(place, await fetched(source, signal));
      }),
  };
}
