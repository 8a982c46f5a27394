import { constants } from 'node:fs';
import { access, readdir, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { ToolError } from '@varve/tools';
import { writeAtomically } from '@varve/files';
import { gitPlaces, jail, type Jail } from '@varve/tools/workspace';
import { RequestError } from '../../error.ts';

/** Open regular file; its receiver closes the handle. */
export interface OpenedFile {
  readonly handle: FileHandle;
  readonly name: string;
  readonly bytes: number;
}

/**
 * Files of this machine below the roots of the server. Links are followed, and what they lead to must be below a root.
 *
 * @throws {RequestError} from each method for a path that is relative, missing, of the wrong kind, not permitted or
 * outside of the roots.
 */
export interface FileAccess {
  open(path: string): Promise<OpenedFile>;
  /** Replaces a file when its new content is complete, and creates the directories above it. */
  put(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Creates a directory and those above it; one that exists is unchanged. */
  makeDirectory(path: string): Promise<void>;
  /** Returns the names of the directories in a directory, without links, by lower-case name. */
  directories(path: string, options: { readonly includeHidden: boolean }): Promise<readonly string[]>;
  /** Returns the path of an existing directory with links resolved. */
  directory(path: string): Promise<string>;
  /**
   * Returns the path of a file that git may know, with the links in its parent directories resolved; the file may be
   * missing. What git reads for it is below a root, too.
   */
  tracked(path: string, signal: AbortSignal): Promise<string>;
  /** Returns the path of a directory, which may be missing, with links resolved, as `tracked`. */
  workingTree(path: string, signal: AbortSignal): Promise<string>;
}

/** Returns the files below directories; `['/']` for all files. */
export function fileAccess(roots: readonly string[]): FileAccess {
  const jails = roots.map(jail);
  const inside = <Value>(path: string, resolved: (root: Jail) => Value): Value => resolvedIn(jails, path, resolved);
  const checkRepository = async (at: string, signal: AbortSignal): Promise<void> => {
    // A server without limits does not search for links.
    if (roots.includes('/')) return;
    for (const place of await gitPlaces(at, signal)) inside(place, (root) => root.resolve(place));
  };
  const jailOf = (path: string): Jail => inside(path, (root) => (root.resolve(path), root));
  const directory: FileAccess['directory'] = (path) =>
    refusing('Directory not found', async () => {
      const real = inside(path, (root) => root.resolve(path));
      if (!(await stat(real)).isDirectory()) throw new RequestError('path', 'Path is not a directory');
      return real;
    });
  return {
    directory,
    async tracked(path, signal) {
      const place = inside(path, (root) => root.resolveParent(path));
      await checkRepository(dirname(place), signal);
      return place;
    },
    async workingTree(path, signal) {
      const real = inside(path, (root) => root.resolve(path));
      await checkRepository(real, signal);
      return real;
    },
    open: (path) => refusing('File not found', async () => opened(path, await jailOf(path).open(path))),
    put: (path, bytes) =>
      refusing('File not found', () => jailOf(path).within(path, (place) => replaceFile(place, bytes))),
    makeDirectory: (path) =>
      refusing('Directory not found', async () => {
        const inner = join(path, '.');
        await jailOf(path).within(join(inner, 'entry'), async () => {});
        await directory(path);
      }),
    async directories(path, { includeHidden }) {
      const names = await directoriesIn(await directory(path));
      return names.filter((name) => includeHidden || !name.startsWith('.')).toSorted(byLowerCase);
    },
  };
}

/** Resolves a path in the first of the directories that contains it. */
function resolvedIn<Value>(jails: readonly Jail[], path: string, resolved: (root: Jail) => Value): Value {
  if (path.includes('\0')) throw new RequestError('path', 'The path contains a null character.');
  if (!isAbsolute(path)) throw new RequestError('path', 'Path must be absolute');
  for (const root of jails) {
    try {
      return resolved(root);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
    }
  }
  throw new RequestError('forbidden', 'The path is outside of the directories that this server may use.');
}

async function directoriesIn(path: string): Promise<readonly string[]> {
  const entries = await refusing('Directory not found', () => readdir(path, { withFileTypes: true }));
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function replaceFile(place: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const before = await stat(place).catch(() => undefined);
  if (before && !before.isFile()) throw new RequestError('path', 'Path is not a file');
  // Replacing a file needs permission for its directory only; a file that is read-only should stay.
  if (before) await access(place, constants.W_OK);
  await writeAtomically(place, bytes, before && { finish: async (file) => file.chmod(before.mode & 0o777) });
}

async function opened(path: string, handle: FileHandle): Promise<OpenedFile> {
  const stats = await handle.stat();
  if (stats.isFile()) return { handle, name: basename(path), bytes: stats.size };
  await handle.close();
  throw new RequestError('path', 'Path is not a file');
}

/** Compares names without case, and equal ones with it. */
function byLowerCase(name: string, other: string): number {
  const [a, b] = [name.toLowerCase(), other.toLowerCase()];
  return a === b ? (name < other ? -1 : 1) : a < b ? -1 : 1;
}

const forbidden = new Set(['EACCES', 'EPERM', 'EROFS']);
const wrong = new Set(['EISDIR', 'ENOTDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG', 'ENXIO']);

/** Converts system errors that the path causes. */
async function refusing<Value>(missing: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolError) throw new RequestError('forbidden', 'The path has changed.', { cause: error });
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (error instanceof RequestError) throw error;
    if (code === 'ENOENT') throw new RequestError('unknown', missing, { cause: error });
    if (forbidden.has(code)) throw new RequestError('forbidden', 'Permission denied', { cause: error });
    if (wrong.has(code)) throw new RequestError('path', `The path cannot be used (${code}).`, { cause: error });
    throw error;
  }
}
