import * as fs from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { errnoOf } from '../kit/errno-of.ts';

/** What a file or directory is, without its contents. */
export interface FileStatus {
  /** Tells this file from one that took its place. */
  readonly identity: string;
  /** Nanoseconds since 1970. */
  readonly modifiedNs: bigint;
}

/**
 * The calls of a file system that the store makes, so that tests can count, fail and forget them.
 *
 * They throw the system's own errors, with `code`, `syscall` and `path`. What needs no disk is synchronous: it takes
 * microseconds, and nothing else of this process comes between two of them.
 */
export interface Files {
  /** Names in a directory, in any order; empty when there is no such directory. */
  list(path: string): readonly string[];
  status(path: string): FileStatus | undefined;
  read(path: string): Buffer | undefined;
  /** Makes a new file, which a power failure may empty. */
  write(path: string, text: string): void;
  /** Adds to the end of a file, which is made when missing. A failure may have added the beginning. */
  append(path: string, text: string): void;
  /** Makes a new file that is on the disk when this resolves. Its name is not: see {@link fsync}. */
  writeAndFsync(path: string, contents: string | Buffer): Promise<void>;
  /** Resolves when the names in a directory, or what was appended to a file, are on the disk. */
  fsync(path: string): Promise<void>;
  /** Gives a file a second name. Fails when there is such a name. */
  link(from: string, to: string): void;
  /** Moves a file, over another if there is one, or a directory, over none but an empty one. */
  rename(from: string, to: string): void;
  /** Removes a file or a directory with all in it; nothing happens when there is none. */
  remove(path: string): void;
  makeDirectory(path: string): void;
  /** Makes it with those above it that are missing, and gives the topmost one made. */
  makeDirectories(path: string): string | undefined;
  /** Sets the time of the last change, as exactly as the file system can. */
  setModifiedTime(path: string, modifiedNs: bigint): void;
  /** Calls back on some of the changes in a directory, perhaps on none, until stopped by what it returns. */
  watch(path: string, onChange: () => void): () => void;
}

/** For the owner only: logs hold what the user typed. */
const fileMode = 0o600;
const directoryMode = 0o700;

/** The real file system; `buffered` leaves it to the system when files reach the disk. */
export function nodeFiles(durability: 'fsync' | 'buffered'): Files {
  const isDurable = durability === 'fsync';
  return {
    list: (path) => unlessMissing(() => fs.readdirSync(path)) ?? [],
    status(path) {
      const status = unlessMissing(() => fs.statSync(path, { bigint: true }));
      return status && { identity: `${status.dev}:${status.ino}`, modifiedNs: status.mtimeNs };
    },
    read: (path) => unlessMissing(() => fs.readFileSync(path)),
    write: (path, text) => fs.writeFileSync(path, text, { flag: 'wx', mode: fileMode }),
    append: (path, text) => fs.appendFileSync(path, text, { mode: fileMode }),
    writeAndFsync: async (path, contents) =>
      writeFile(path, contents, { flag: 'wx', mode: fileMode, flush: isDurable }),
    async fsync(path) {
      // Windows opens no directories, and files for writing only.
      if (!isDurable || process.platform === 'win32') return;
      const directory = await open(path, 'r');
      try {
        await directory.sync();
      } finally {
        await directory.close();
      }
    },
    link: fs.linkSync,
    rename: fs.renameSync,
    remove: (path) => fs.rmSync(path, { recursive: true, force: true }),
    makeDirectory: (path) => fs.mkdirSync(path, { mode: directoryMode }),
    makeDirectories: (path) => fs.mkdirSync(path, { mode: directoryMode, recursive: true }),
    setModifiedTime(path, modifiedNs) {
      const seconds = Number(modifiedNs) / 1e9;
      fs.utimesSync(path, seconds, seconds);
    },
    watch,
  };
}

function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
    throw error;
  }
}

function watch(path: string, onChange: () => void): () => void {
  try {
    const watcher = fs.watch(path, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {}; // No more watches to be had, or none on this file system: it was a hint only.
  }
}

/** Milliseconds of a file's time. Times we set come back up to half a microsecond early, for they pass through a double. */
export function msOf(ns: bigint): number {
  return Number((ns + 500n) / 1_000_000n);
}

/** Marks a directory as changed at a time, where this process may: for others the system's own mark has to do. */
export function touch(files: Files, path: string, modifiedNs: bigint): void {
  try {
    files.setModifiedTime(path, modifiedNs);
  } catch (error) {
    // Only the owner of a directory may.
    if (!['EPERM', 'EACCES', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
  }
}

/** Less than what listings show, and more than a file's time loses on its way through a double. */
const shiftNs = 2_000n;

/**
 * Does work in a directory that is no news, and marks the directory as last changed in the millisecond before it. The
 * mark is another one all the same: whoever knows the names by their mark has to look again.
 */
export async function preserveMtime(files: Files, path: string, work: () => Promise<void>): Promise<void> {
  const before = files.status(path);
  await work();
  if (!before || files.status(path)?.modifiedNs === before.modifiedNs) return;
  const isEarly = before.modifiedNs % 1_000_000n < 500_000n;
  touch(files, path, before.modifiedNs + (isEarly ? shiftNs : -shiftNs));
}
