import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../kit/errno-of.ts';

/**
 * Makes the file, for its owner only, and the directories above it that are missing. SQLite gives its other files the
 * mode of this one. What exists keeps its mode.
 */
export function prepareFile(path: string): void {
  const first = mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  makeFile(path);
  if (first === undefined) return;
  // SQLite syncs the directory of its files; nobody else syncs the entries of those above.
  for (let made = dirname(path); made.length >= first.length; made = dirname(made)) syncDirectory(dirname(made));
}

function makeFile(path: string): void {
  try {
    // Only a file that nobody has open yet may be closed: closing drops the locks of all connections in this process.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** Puts the names in a directory on the disk. */
export function syncDirectory(path: string): void {
  // Windows opens no directories.
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
