import fc from 'fast-check';
import { renameSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, mkdtempDisposable, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeIfSame, createAtomically, isExisting, writeAtomically } from './write-atomically.ts';
import { linesOf, unixText } from './unix-text.ts';

test('a failed write leaves the old file and no other file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'varve-write-'));
  await mkdir(join(directory, 'taken'));
  await writeFile(join(directory, 'taken/file'), 'old');
  await expect(writeAtomically(join(directory, 'taken'), Buffer.from('new'), undefined)).rejects.toThrow('EISDIR');
  expect(await readdir(directory, { recursive: true })).toEqual(['taken', 'taken/file']);
  await rm(directory, { recursive: true });
});

test('a write replaces the file instead of changing it in place', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'varve-write-'));
  const path = join(directory, 'x'.repeat(255));
  await writeFile(path, 'old');
  const before = await stat(path);
  await writeAtomically(path, Buffer.from('new'), before);
  expect(await readFile(path, 'utf8')).toBe('new');
  expect((await stat(path)).ino).not.toBe(before.ino);
  await rm(directory, { recursive: true });
});

test('of concurrent creations one succeeds, and its content stays', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'varve-write-'));
  const writers = Array.from({ length: 8 }, (_, index) => `content ${index}`);
  for (let round = 0; round < 20; round += 1) {
    const path = join(directory, `file ${round}`);
    const results = await Promise.allSettled(writers.map((content) => createAtomically(path, Buffer.from(content))));
    const winners = writers.filter((_, index) => results[index]?.status === 'fulfilled');
    expect([await readFile(path, 'utf8')]).toEqual(winners);
    const losses = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(losses.every((reason) => isExisting(reason))).toBe(true);
  }
  expect(await readdir(directory)).toHaveLength(20);
  await rm(directory, { recursive: true });
});

test('offsets in a normalized text map to the original', () => {
  const text = fc.array(fc.constantFrom('a', '\r\n', '\n', '\r', 'ä')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (original) => {
      const plain = unixText(original);
      expect(plain.text).toBe(original.replaceAll('\r\n', '\n'));
      for (let at = 0; at <= plain.text.length; at += 1) {
        expect(unixText(original.slice(0, plain.original(at))).text).toBe(plain.text.slice(0, at));
      }
    }),
  );
});

test('the lines of a text are those numbered by cat -n', () => {
  expect([linesOf(''), linesOf('a'), linesOf('a\n'), linesOf('a\n\n')]).toEqual([[], ['a'], ['a'], ['a', '']]);
});

test('a file that is exchanged while it is compared is not changed, even for one with the same content', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const [path, other] = [join(directory.path, 'file'), join(directory.path, 'other')];
  const content = Buffer.from('old');
  for (const name of [path, other]) writeFileSync(name, content);
  let changes = 0;
  const change = (): void => void (changes += 1);
  expect(await changeIfSame(path, content, change)).toBe(true);
  const comparing = changeIfSame(path, content, change);
  renameSync(other, path);
  expect([await comparing, changes]).toEqual([false, 1]);
});
