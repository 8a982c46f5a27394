import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, mkdtempDisposable, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { putFile } from '../workspace/put-file.ts';
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

/** Returns the modes that the files of a directory have while work runs. */
async function modesDuring(directory: string, work: () => Promise<void>): Promise<ReadonlySet<number>> {
  const modes = new Set<number>();
  const look = (): void => {
    for (const name of readdirSync(directory)) {
      const found = statSync(join(directory, name), { throwIfNoEntry: false });
      if (found) modes.add(found.mode & 0o777);
    }
  };
  const running = new AbortController();
  const done = work().finally(() => running.abort());
  while (!running.signal.aborted) {
    look();
    await setImmediate();
  }
  await done;
  look();
  return modes;
}

test('while a private file is replaced, no file in its directory can be read by others', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-write-'));
  const path = join(directory.path, '.env');
  await writeFile(path, 'KEY=old', { mode: 0o600 });
  const secret = Buffer.alloc(8 * 1024 * 1024, 'KEY=new\n');
  const previous = await stat(path);
  expect([...(await modesDuring(directory.path, async () => writeAtomically(path, secret, previous)))]).toEqual([
    0o600,
  ]);
  const pieces = async function* pieces() {
    for (let n = 0; n < 16; n += 1) yield secret.subarray(0, 64 * 1024);
  };
  const put = async (): Promise<void> => putFile(path, pieces(), async (part) => part.chmod(0o600));
  expect([...(await modesDuring(directory.path, put))]).toEqual([0o600]);
});

test('a file whose owner cannot be kept loses the bits that run it with the rights of its owner', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-write-'));
  await chmod(directory.path, 0o777);
  const path = join(directory.path, 'tool');
  const source = `
    import { statSync, writeFileSync } from 'node:fs';
    import { writeAtomically } from ${JSON.stringify(new URL('write-atomically.ts', import.meta.url).href)};
    if (process.getuid() === 0) process.setuid(65534);
    const path = ${JSON.stringify(path)};
    for (const owner of [process.getuid(), process.getuid() + 1]) {
      writeFileSync(path, 'old');
      await writeAtomically(path, Buffer.from('new'), { ...statSync(path), uid: owner, mode: 0o106755 });
      console.log((statSync(path).mode & 0o7777).toString(8));
    }`;
  const args = ['--conditions=@varve/source', '--input-type=module', '--eval', source];
  const modes = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n');
  // A system may not let a user set the bits at all.
  expect(['6755', '4755', '2755', '755']).toContain(modes[0]);
  expect(modes[1]).toBe('755');
});

test('a replaced file keeps a mode that is wider than that of its temporary file', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-write-'));
  const path = join(directory.path, 'run.sh');
  for (const mode of [0o444, 0o664, 0o755, 0o777]) {
    await writeFile(path, 'old', { flag: 'w' });
    await chmod(path, mode);
    await writeAtomically(path, Buffer.from('new'), await stat(path));
    expect((await stat(path)).mode & 0o777).toBe(mode);
    await rm(path);
  }
});

test('of concurrent creations one succeeds, and its content stays', async () => {
  const { signal } = new AbortController();
  const directory = await mkdtemp(join(tmpdir(), 'varve-write-'));
  const writers = Array.from({ length: 8 }, (_, index) => `content ${index}`);
  for (let round = 0; round < 20; round += 1) {
    const path = join(directory, `file ${round}`);
    const results = await Promise.allSettled(
      writers.map((content) => createAtomically(path, Buffer.from(content), signal)),
    );
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
