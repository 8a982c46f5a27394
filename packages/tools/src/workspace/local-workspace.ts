import type { Dirent, Stats } from 'node:fs';
import { type FileHandle, readdir, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ToolError } from '../contract/error.ts';
import { writeAtomically } from '@varve/files';
import { keepRights } from '../files/replace-file.ts';
import type { ProgramSandbox } from '../processes/program-sandbox.ts';
import { gitChanges } from '../git/git-changes.ts';
import { gitDiff } from '../git/git-diff.ts';
import { gitRepository } from '../git/git-repository.ts';
import { fileChunks, readAll } from './byte-streams.ts';
import { prepareHostPath, openHostFile, regularFile } from './host-file.ts';
import { jail, type Jail } from './jail.ts';
import { runCommand } from './run-command.ts';
import { mapSystemErrors } from './system-call.ts';
import type { Workspace, WorkspaceEntry } from './workspace.ts';
import { addLocalWorktree, deleteWorktree } from './worktree.ts';

/** Options of {@link localWorkspace}. */
export interface LocalWorkspaceOptions {
  /** Walls around its commands. Default: none. */
  readonly sandbox?: ProgramSandbox;
}

/**
 * Returns the workspace of a directory on this machine. Links are followed only inside of it, on Linux even if another
 * program replaces them at the same time. Commands run in their own process group, without credentials of this
 * process's environment, and are confined by a sandbox only.
 */
export function localWorkspace(directory: string, { sandbox }: LocalWorkspaceOptions = {}): Workspace {
  const root = resolve(directory);
  const files = jail(root);
  return {
    directory: root,
    isAlive: () =>
      stat(root).then(
        (stats) => stats.isDirectory(),
        () => false,
      ),
    ...fileMethods(files),
    async execute(command, options = {}) {
      const where = await realDirectory(files, options.directory ?? '.');
      return runCommand(command, where, { ...options, ...(sandbox && { sandbox }) });
    },
    changes: async (path = '.', options = {}) => gitChanges(await realDirectory(files, path), options),
    diff: async (path, options = {}) => gitDiff(files.resolveParent(path), options),
    async addWorktree(path, options = {}) {
      const place = files.resolve(path);
      await addLocalWorktree(await realDirectory(files, '.'), place, options);
      return localWorkspace(place, sandbox && { sandbox });
    },
    async removeWorktree(path, options = {}) {
      const repository = (where: string) => gitRepository(where, options.signal);
      await deleteWorktree(repository, await realDirectory(files, '.'), files.resolve(path), options);
    },
  };
}

function fileMethods(files: Jail): Pick<Workspace, 'read' | 'write' | 'list' | 'upload' | 'download'> {
  return {
    read: (path, { signal } = {}) =>
      mapSystemErrors(`Reading ${path}`, signal, async () => {
        await using file = await regularFile(path, await files.open(path));
        return await readAll(path, fileChunks(file, signal));
      }),
    write: (path, content, { signal } = {}) =>
      mapSystemErrors(`Writing ${path}`, signal, async () => {
        signal?.throwIfAborted();
        await files.within(path, async (place) => writeAtomically(place, content, keepRights(await previous(place))));
      }),
    list: (path = '.', { signal } = {}) =>
      mapSystemErrors(`Listing ${path}`, signal, async () => {
        signal?.throwIfAborted();
        const dirents = await readdir(files.resolve(path), { withFileTypes: true });
        return dirents.map(entry).toSorted((a, b) => (a.name < b.name ? -1 : 1));
      }),
    upload: (source, destination, { signal } = {}) =>
      mapSystemErrors(`Copying ${source} to ${destination}`, signal, async () => {
        await using file = await openHostFile(source);
        await files.within(destination, (place) => copy(file, place, signal));
      }),
    download: (source, destination, { signal } = {}) =>
      mapSystemErrors(`Copying ${source} to ${destination}`, signal, async () => {
        await using file = await regularFile(source, await files.open(source));
        await copy(file, await prepareHostPath(destination), signal);
      }),
  };
}

/** Copies a file with its times and mode. */
async function copy(file: FileHandle, destination: string, signal: AbortSignal | undefined): Promise<void> {
  const { mode, atime, mtime } = await file.stat();
  const finish = async (copied: FileHandle): Promise<void> => {
    await copied.chmod(mode & 0o777);
    await copied.utimes(atime, mtime);
  };
  await writeAtomically(destination, fileChunks(file, signal), { finish });
}

async function previous(path: string): Promise<Stats | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (stats !== undefined && !stats.isFile()) throw new ToolError('invalid-input', `The path ${path} is not a file.`);
  return stats;
}

async function realDirectory(files: Jail, path: string): Promise<string> {
  return mapSystemErrors(`Opening the directory ${path}`, undefined, async () => {
    const real = await realpath(files.resolve(path));
    if (!(await stat(real)).isDirectory()) throw new ToolError('invalid-input', `The path ${path} is not a directory.`);
    return real;
  });
}

function entry(dirent: Dirent): WorkspaceEntry {
  const kind = dirent.isSymbolicLink()
    ? 'link'
    : dirent.isDirectory()
      ? 'directory'
      : dirent.isFile()
        ? 'file'
        : 'other';
  return { name: dirent.name, kind };
}
