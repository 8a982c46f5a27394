import { constants } from 'node:fs';
import { lstat, open, readdir, realpath, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf, makeDirectories, syncDirectory, writeAtomically } from '@varve/files';
import { SettingsError } from '../error.ts';
import { fileError } from './file-error.ts';

/** Largest file that is read: a hundred times a large configuration. */
const maxBytes = 1024 * 1024;

/** Options of {@link readTextFile}. */
export interface ReadTextOptions {
  /** Treatment of a path that is a symbolic link; `follow` by default. */
  readonly symlinks?: 'follow' | 'refuse';
}

/**
 * Reads a text file; undefined if it is missing. A byte order mark is removed.
 *
 * @throws {SettingsError} `invalid` for anything but a regular file, for more than 1 MiB, for bytes that are not UTF-8,
 *   and for a symbolic link if they are refused; `io`.
 */
export async function readTextFile(
  path: string,
  { symlinks = 'follow' }: ReadTextOptions = {},
): Promise<string | undefined> {
  // A workspace of a log has any name. Node throws an error of another kind for one that no file system can store.
  if (path.includes('\0')) return undefined;
  try {
    const noFollow = symlinks === 'refuse' ? constants.O_NOFOLLOW : 0;
    // Opening a pipe without a writer would never return.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | noFollow);
    return await textOf(file, path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
    if (errno === 'ELOOP') throw new SettingsError('invalid', `${path} is a symbolic link.`, { cause: error });
    throw fileError(error, path);
  }
}

async function textOf(file: FileHandle, path: string): Promise<string> {
  const status = await file.stat();
  if (!status.isFile()) throw new SettingsError('invalid', `${path} is not a regular file.`);
  // One byte more than allowed: the file may grow while it is read.
  const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes + 1));
  if (bytesRead > maxBytes) throw new SettingsError('invalid', `${path} has more than ${maxBytes} bytes.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, bytesRead));
  } catch (error) {
    throw new SettingsError('invalid', `${path} is not UTF-8 text.`, { cause: error });
  }
}

/** Options of {@link replaceFile}. */
export interface ReplaceOptions extends ReadTextOptions {
  /** Rights of the file; 0600 by default. Directories that are created have the same rights, and those to enter. */
  readonly mode?: number;
}

/**
 * Replaces the text of a file, which is created with its directories if missing. Readers see the old or the new text,
 * also after a power failure. Requires the lock of all writers of this file; with it, what killed writers left is
 * removed. A link is followed, so that a file in a repository of configuration files stays one.
 *
 * @throws {SettingsError} `invalid` for a symbolic link if they are refused; `io`.
 */
export async function replaceFile(path: string, text: string, options: ReplaceOptions = {}): Promise<void> {
  const { mode = 0o600, symlinks = 'follow' } = options;
  try {
    const target = await targetOf(path, symlinks);
    makeDirectories(dirname(target), mode | ((mode & 0o444) >> 2));
    await removeTemporary(target);
    const temporaryName = `.${basename(target)}.${process.pid}.tmp`;
    // The mode of a new file is reduced by the umask, and this one is not.
    await writeAtomically(target, text, { temporaryName, finish: async (file) => file.chmod(mode) });
  } catch (error) {
    throw fileError(error, path);
  }
}

/** Removes a file; does nothing if it is missing. Requires the lock of all writers of this file. */
export async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
    await syncDirectory(dirname(path));
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw fileError(error, path);
  }
}

async function targetOf(path: string, symlinks: 'follow' | 'refuse'): Promise<string> {
  const status = await lstat(path).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error;
  });
  if (!status?.isSymbolicLink()) return path;
  if (symlinks === 'refuse') throw new SettingsError('invalid', `${path} is a symbolic link.`);
  return realpath(path);
}

async function removeTemporary(target: string): Promise<void> {
  const start = `.${basename(target)}.`;
  const directory = dirname(target);
  for (const name of await readdir(directory)) {
    if (name.startsWith(start) && /^\d+\.tmp$/.test(name.slice(start.length))) {
      await rm(join(directory, name), { force: true });
    }
  }
}
