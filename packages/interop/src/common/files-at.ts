import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import type { ForeignFiles } from './log-format.ts';

/** Largest file of another system that is read. */
const maxBytes = 256 * 1024 * 1024;
/** Levels of directories below the named one. */
const maxDepth = 2;

/**
 * Returns the file, or the files of the directory, at a path. Links below it are not followed, and large files and
 * other kinds of files have no text: what was downloaded must not name other files of this machine.
 *
 * @throws the error of the system when the path cannot be read.
 */
export async function filesAt(path: string): Promise<ForeignFiles> {
  const name = basename(path);
  const stats = await stat(path);
  if (!stats.isDirectory()) {
    return {
      name,
      paths: [name],
      start: async () => startOf(path, 0),
      text: async () => textOf(path, 0),
      location: () => path,
    };
  }
  const paths = await pathsIn(path, path, maxDepth);
  return {
    name,
    paths: paths.toSorted(),
    start: async (file) => startOf(join(path, file), constants.O_NOFOLLOW),
    text: async (file) => textOf(join(path, file), constants.O_NOFOLLOW),
  };
}

async function pathsIn(top: string, directory: string, depth: number): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const inner = entries.map(async (entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return depth > 0 ? pathsIn(top, path, depth - 1) : [];
    return [relative(top, path).replaceAll(sep, '/')];
  });
  return (await Promise.all(inner)).flat();
}

async function textOf(path: string, flags: number): Promise<string | undefined> {
  const bytes = await bytesOf(path, flags, maxBytes);
  if (!bytes || bytes.length > maxBytes) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function startOf(path: string, flags: number): Promise<string> {
  return new TextDecoder().decode((await bytesOf(path, flags, 4096))?.subarray(0, 4096));
}

/** Returns the first bytes of a regular file, and one more if there are more; undefined if it cannot be read. */
async function bytesOf(path: string, flags: number, count: number): Promise<Uint8Array | undefined> {
  try {
    // The writer of a pipe would find it closed.
    if (!(await stat(path)).isFile()) return undefined;
    // A pipe that takes its place would block without the flag.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
    const stats = await file.stat();
    if (!stats.isFile()) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(stats.size, count) + 1), 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
