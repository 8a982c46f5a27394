import { constants } from 'node:buffer';
import * as fs from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { errnoOf, makeDirectories } from '@varve/files';

/** Metadata of a file or directory. */
export interface FileStatus {
  /** Differs between a file and another one that replaced it. */
  readonly identity: string;
  /** Nanoseconds since 1970. */
  readonly modifiedNs: bigint;
  /** Number of hard links. */
  readonly links: number;
}

/**
 * File system calls of the store. Tests replace them to count calls, inject failures and simulate power loss.
 *
 * They throw the system's own errors, with `code`, `syscall` and `path`. Calls that do not wait for the disk are
 * synchronous: they take microseconds, and no other code of this process runs between two of them.
 */
export interface Files {
  /** Lists the names in a directory, in any order; empty if the directory is missing. */
  list(path: string): readonly string[];
  status(path: string): FileStatus | undefined;
  /** Returns true for a symbolic link; false if nothing has this name. */
  isLink(path: string): boolean;
  read(path: string): Buffer | undefined;
  /** Creates a file without `fsync`: after a power failure it may be empty. */
  write(path: string, text: string): void;
  /**
   * Appends to a file, which is created if missing, and not to a pipe or a device. If it fails, a prefix of the text
   * may have been added.
   */
  append(path: string, text: string): void;
  /** Creates a file; resolves when its contents are on the disk. For its name, call {@link fsync} on the directory. */
  writeAndFsync(path: string, contents: string | Buffer): Promise<void>;
  /** Resolves when the names in a directory, or the appended contents of a file, are on the disk. */
  fsync(path: string): Promise<void>;
  /** Creates a hard link. Fails with `EEXIST` if the name exists. */
  link(from: string, to: string): void;
  /** Moves a file, replacing an existing one, or a directory, replacing only an empty one. */
  rename(from: string, to: string): void;
  /** Removes a file, or a directory with its contents; does nothing if it is missing. */
  remove(path: string): void;
  makeDirectory(path: string): void;
  /** Creates a directory and its missing parents; returns the created ones, outermost first. */
  makeDirectories(path: string): readonly string[];
  /** Sets the modification time, as precisely as the file system can. */
  setModifiedTime(path: string, modifiedNs: bigint): void;
  /** Calls back on changes in a directory, but may miss any of them. Returns a function that stops it. */
  watch(path: string, onChange: () => void): () => void;
}

/** Only the owner may read: logs contain the user's input. */
const fileMode = 0o600;
const directoryMode = 0o700;

/**
 * Reads a file; anything else, such as a directory, a pipe or a device, counts as empty, and so does a file that is
 * longer than any text. A log that another person made may contain them, and reading a pipe would never end.
 */
function readRegularFile(path: string): Buffer {
  const file = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const status = fs.fstatSync(file);
    return status.isFile() && status.size <= constants.MAX_STRING_LENGTH ? fs.readFileSync(file) : Buffer.alloc(0);
  } finally {
    fs.closeSync(file);
  }
}

/** Opening a pipe without a reader for writing would never end. */
const appendFlags = fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_CREAT | fs.constants.O_NONBLOCK;

function appendToRegularFile(path: string, text: string): void {
  const file = fs.openSync(path, appendFlags, fileMode);
  try {
    if (!fs.fstatSync(file).isFile()) {
      throw Object.assign(new Error(`${path} is not a file.`), { code: 'EINVAL', syscall: 'write', path });
    }
    fs.appendFileSync(file, text);
  } finally {
    fs.closeSync(file);
  }
}

async function fsyncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } catch (error) {
    throw addPath(error, path);
  } finally {
    await file.close();
  }
}

function withPath<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw addPath(error, path);
  }
}

/** Adds the path of an open file to the error of a call on its descriptor, such as a write to a full disk. */
function addPath(error: unknown, path: string): unknown {
  if (errnoOf(error) === undefined || (error as { readonly path?: unknown }).path !== undefined) return error;
  return Object.assign(error as Error, { path });
}

/** Returns the calls of the real file system. With `buffered`, nothing waits for `fsync`. */
export function nodeFiles(durability: 'fsync' | 'buffered'): Files {
  const isDurable = durability === 'fsync';
  return {
    list: (path) => unlessMissing(() => fs.readdirSync(path)) ?? [],
    status(path) {
      const status = unlessMissing(() => fs.statSync(path, { bigint: true }));
      if (!status) return undefined;
      const { dev, ino, mtimeNs, nlink } = status;
      return { identity: `${dev}:${ino}`, modifiedNs: mtimeNs, links: Number(nlink) };
    },
    isLink: (path) => unlessMissing(() => fs.lstatSync(path))?.isSymbolicLink() ?? false,
    read: (path) => unlessMissing(() => readRegularFile(path)),
    write: (path, text) => withPath(path, () => fs.writeFileSync(path, text, { flag: 'wx', mode: fileMode })),
    append: (path, text) => withPath(path, () => appendToRegularFile(path, text)),
    writeAndFsync: async (path, contents) =>
      writeFile(path, contents, { flag: 'wx', mode: fileMode, flush: isDurable }).catch((error: unknown) => {
        throw addPath(error, path);
      }),
    // Windows cannot open directories, and cannot sync files opened for reading.
    fsync: async (path) => (isDurable && process.platform !== 'win32' ? fsyncPath(path) : undefined),
    link: fs.linkSync,
    rename: fs.renameSync,
    remove: (path) => fs.rmSync(path, { recursive: true, force: true }),
    makeDirectory: (path) => fs.mkdirSync(path, { mode: directoryMode }),
    makeDirectories: (path) => makeDirectories(path, directoryMode),
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
    // Links in a circle lead nowhere.
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

function watch(path: string, onChange: () => void): () => void {
  try {
    const watcher = fs.watch(path, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    // No watches are left or the file system has none; readers poll anyway.
    return () => {};
  }
}

/** Converts a file time to milliseconds. Rounds, because times set through a double are up to 500 ns too early. */
export function toMs(ns: bigint): number {
  return Number((ns + 500n) / 1_000_000n);
}

/** Sets the modification time if this process may; otherwise the file system's own time remains. */
export function trySetModifiedTime(files: Files, path: string, modifiedNs: bigint): void {
  try {
    files.setModifiedTime(path, modifiedNs);
  } catch (error) {
    // Only the owner of a directory may set it.
    if (!['EPERM', 'EACCES', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
  }
}

/** Below the millisecond of listings, and above the precision of a time set through a double. */
const shiftNs = 2_000n;

/**
 * Runs work that changes a directory, and then restores the directory's modification time to the same millisecond. The
 * nanoseconds differ, so that readers that compare modification times list the directory again.
 */
export async function preserveMtime(files: Files, path: string, work: () => Promise<void>): Promise<void> {
  const before = files.status(path);
  await work();
  if (!before || files.status(path)?.modifiedNs === before.modifiedNs) return;
  const isEarly = before.modifiedNs % 1_000_000n < 500_000n;
  trySetModifiedTime(files, path, before.modifiedNs + (isEarly ? shiftNs : -shiftNs));
}
