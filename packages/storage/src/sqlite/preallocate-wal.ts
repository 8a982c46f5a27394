import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { rollBack } from './transaction.ts';

/** Fewer commits than these would not earn back what growing costs. */
const commitsBefore = 16;

/** What a write-ahead log grows to before SQLite starts it over: 1000 pages and their headers. */
const bytes = 1000 * (4096 + 24);

/**
 * Returns what is called after each commit and, once, lets the write-ahead log grow to its usual length: a commit that
 * makes the file longer waits for the file system's journal as well as for its own bytes. SQLite writes pages of a large
 * transaction into the log before it knows whether they will be committed, so a transaction that is taken back leaves a
 * long file and nothing in it. What stands in the way, such as a full disk, is ignored.
 */
export function preallocateWal(database: DatabaseSync, path: string): () => void {
  let commits = 0;
  return () => {
    commits += 1;
    if (commits === commitsBefore) grow(database, path);
  };
}

function grow(database: DatabaseSync, path: string): void {
  try {
    if (statSync(`${path}-wal`).size >= bytes) return;
    const cached = Number(database.prepare('PRAGMA cache_size').get()?.['cache_size']);
    try {
      // With no room in memory the pages go to the log at once.
      database.exec('PRAGMA cache_size = 8; BEGIN IMMEDIATE; CREATE TABLE ahead (bytes)');
      database.prepare('INSERT INTO ahead VALUES (zeroblob(?))').run(bytes);
    } finally {
      rollBack(database);
      database.exec(`PRAGMA cache_size = ${cached}`);
    }
  } catch {
    // Not grown is only slower.
  }
}
