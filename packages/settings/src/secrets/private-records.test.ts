import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile, rename, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fernet, keyOfPassphrase } from './fernet.ts';
import { privateRecords } from './private-records.ts';

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'varve-private-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

const cipher = async () => fernet(keyOfPassphrase('p'));

test('a record is encrypted, private, and read back under its own id only', async () => {
  const directory = join(newDirectory(), 'records');
  const records = privateRecords({ directory, cipher });
  expect(await records.read('a')).toBeUndefined();
  await records.write('a', 'sk-0123456789');
  expect(await records.read('a')).toBe('sk-0123456789');
  expect(await readdir(directory)).toEqual(['a.token']);
  const path = join(directory, 'a.token');
  expect(await readFile(path, 'utf8')).not.toContain('sk-');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await rename(path, join(directory, 'b.token'));
  await expect(records.read('b')).rejects.toMatchObject({ code: 'invalid' });
  await records.remove('b');
  await records.remove('b');
  expect(await records.read('b')).toBeUndefined();
});

test('another key, and an id that is a path, are refused', async () => {
  const directory = newDirectory();
  await privateRecords({ directory, cipher }).write('a', 'x');
  const other = privateRecords({ directory, cipher: async () => fernet(keyOfPassphrase('q')) });
  await expect(other.read('a')).rejects.toThrow('another key');
  await expect(other.write('../a', 'x')).rejects.toMatchObject({ code: 'invalid' });
});
