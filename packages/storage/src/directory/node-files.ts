import * as fs from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { errnoOf } from '../kit/errno-of.ts';
import type { Files } from './files.ts';

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
