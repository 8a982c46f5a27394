import { existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectories } from './make-directories.ts';

test('missing directories are created, and the first of them is returned', () => {
  const root = mkdtempSync(join(tmpdir(), 'varve-'));
  expect(makeDirectories(join(root, 'a/b/c'), 0o700)).toBe(join(root, 'a'));
  expect(statSync(join(root, 'a/b/c')).mode & 0o777).toBe(0o700);
  expect(makeDirectories(join(root, 'a/b'), 0o700)).toBeUndefined();
});

test('a directory below a file is an error', () => {
  const root = mkdtempSync(join(tmpdir(), 'varve-'));
  writeFileSync(join(root, 'file'), '');
  expect(() => makeDirectories(join(root, 'file/a/b'), 0o700)).toThrow('ENOTDIR');
});

// A recursive mkdir of Node never returns there.
test.runIf(existsSync('/proc/self'))('a directory below /proc is an error', () => {
  expect(() => makeDirectories('/proc/varve/a/b', 0o700)).toThrow('ENOENT');
});
