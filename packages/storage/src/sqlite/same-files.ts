import { statSync } from 'node:fs';
import { StorageError } from '../contract/error.ts';

/**
 * Returns a function that checks, within a transaction that writes, that an open database and its write-ahead log still
 * have their names. SQLite keeps writing to files that were moved, replaced or removed: what is acknowledged then is in
 * no file that another process opens.
 */
export function sameFiles(path: string): () => void {
  const files = [{ path, identity: identityOf(path) }];
  return () => {
    // The write-ahead log is created with the first transaction, and removed with the last connection.
    if (files.length === 1) files.push({ path: `${path}-wal`, identity: identityOf(`${path}-wal`) });
    for (const file of files) {
      const identity = identityOf(file.path);
      if (identity === file.identity || identity === unknown) continue;
      throw new StorageError('io', `${file.path} was moved, replaced or removed while it was open.`);
    }
  };
}

/** Identity of a file in a directory that this process may not enter any more. */
const unknown = Symbol('unknown');

function identityOf(path: string): string | typeof unknown | undefined {
  try {
    const status = statSync(path, { bigint: true, throwIfNoEntry: false });
    return status && `${status.dev}:${status.ino}`;
  } catch {
    return unknown;
  }
}
