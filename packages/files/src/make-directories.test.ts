import { existsSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectories } from './make-directories.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'varve-'));

test('missing directories are created and returned', () => {
  const root = folder();
  expect(makeDirectories(join(root, 'a/b/../c'), 0o700)).toEqual([join(root, 'a'), join(root, 'a/c')]);
  expect(statSync(join(root, 'a/c')).mode & 0o777).toBe(0o700);
  expect(makeDirectories(join(root, 'a/c/d'))).toEqual([join(root, 'a/c/d')]);
  expect(makeDirectories(join(root, 'a/c'))).toEqual([]);
});

test('a failure leaves no directory', () => {
  const root = folder();
  expect(() => makeDirectories(join(root, 'a/b', 'n'.repeat(300)))).toThrow('ENAMETOOLONG');
  expect(existsSync(join(root, 'a'))).toBe(false);
});

test.for(['a file', 'a broken link'])('a directory below %s is an error', (what) => {
  const root = folder();
  if (what === 'a file') writeFileSync(join(root, 'it'), '');
  else symlinkSync(join(root, 'missing/target'), join(root, 'it'));
  expect(() => makeDirectories(join(root, 'it/a/b'))).toThrow(/ENOTDIR|ENOENT/);
});

// A recursive mkdir of Node never returns there.
test.runIf(existsSync('/proc/self'))('a directory below /proc is an error', () => {
  expect(() => makeDirectories('/proc/varve/a/b')).toThrow('ENOENT');
});
