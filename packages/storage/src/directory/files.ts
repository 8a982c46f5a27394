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
