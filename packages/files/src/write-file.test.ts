import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import {
  type FileHandle,
  link,
  mkdir,
  mkdtemp,
  mkdtempDisposable,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { errnoOf } from './errno.ts';
import { createAtomically, writeAtomically } from './write-file.ts';

const newDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'varve-new-'));

test('a failed write leaves the old file and no other file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'varve-write-'));
  await mkdir(join(directory, 'taken'));
  await writeFile(join(directory, 'taken/file'), 'old');
  await expect(writeAtomically(join(directory, 'taken'), 'new')).rejects.toThrow('EISDIR');
  expect(await readdir(directory, { recursive: true })).toEqual(['taken', 'taken/file']);
  await rm(directory, { recursive: true });
});

test('a write replaces the file instead of changing it in place', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'varve-write-'));
  const path = join(directory, 'x'.repeat(255));
  await writeFile(path, 'old');
  const before = await stat(path);
  await writeAtomically(path, 'new');
  expect(await readFile(path, 'utf8')).toBe('new');
  expect((await stat(path)).ino).not.toBe(before.ino);
  await rm(directory, { recursive: true });
});

/** Returns the modes that the files of a directory have while work runs. */
async function modesDuring(directory: string, work: () => Promise<void>): Promise<ReadonlySet<number>> {
  const modes = new Set<number>();
  const look = (): void => {
    for (const name of readdirSync(directory)) {
      const stats = statSync(join(directory, name), { throwIfNoEntry: false });
      if (stats) modes.add(stats.mode & 0o777);
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

const finish = async (file: FileHandle): Promise<void> => file.chmod(0o600);

test('while a private file is replaced, no file in its directory can be read by others', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-write-'));
  const path = join(directory.path, '.env');
  await writeFile(path, 'KEY=old', { mode: 0o600 });
  const secret = Buffer.alloc(8 * 1024 * 1024, 'KEY=new\n');
  const write = async (): Promise<void> => writeAtomically(path, secret, { finish });
  expect([...(await modesDuring(directory.path, write))]).toEqual([0o600]);
  const pieces = async function* pieces() {
    for (let n = 0; n < 16; n += 1) yield secret.subarray(0, 64 * 1024);
  };
  const put = async (): Promise<void> => writeAtomically(path, pieces(), { finish });
  expect([...(await modesDuring(directory.path, put))]).toEqual([0o600]);
});

test('of concurrent creations one succeeds, and its content stays', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'varve-write-'));
  const writers = Array.from({ length: 8 }, (_, index) => `content ${index}`);
  for (let round = 0; round < 20; round += 1) {
    const path = join(directory, `file ${round}`);
    const results = await Promise.allSettled(writers.map((content) => createAtomically(path, content)));
    const winners = writers.filter((_, index) => results[index]?.status === 'fulfilled');
    expect([await readFile(path, 'utf8')]).toEqual(winners);
    const losses = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(losses.every((reason) => errnoOf(reason) === 'EEXIST')).toBe(true);
  }
  expect(await readdir(directory)).toHaveLength(20);
  await rm(directory, { recursive: true });
});

test('a new file is readable to its owner, and never replaces another', async () => {
  const path = join(await newDirectory(), 'file');
  await createAtomically(path, ['a', 'b'], { mode: 0o600 });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await expect(createAtomically(path, ['c'])).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await readFile(path, 'utf8')).toBe('ab');
});

test('a file whose text ends with an error is removed', async () => {
  const path = join(await newDirectory(), 'file');
  const error = new Error('no more');
  function* text() {
    yield 'a';
    throw error;
  }
  await expect(createAtomically(path, text())).rejects.toBe(error);
  expect(existsSync(path)).toBe(false);
});

test.runIf(process.platform !== 'win32')('a file that the disk rejects is removed', async () => {
  const path = join(await newDirectory(), 'file');
  const source = `
    import { createAtomically } from ${JSON.stringify(new URL('write-file.ts', import.meta.url).href)};
    await createAtomically(${JSON.stringify(path)}, ['x'.repeat(10_000)]).catch((error) => console.log(error.code));`;
  const node = [process.execPath, '--input-type=module', '--eval', source];
  // One block is written, and then the write fails.
  expect(execFileSync('sh', ['-c', 'ulimit -f 1 && exec "$0" "$@"', ...node], { encoding: 'utf8' })).toBe('EFBIG\n');
  expect(existsSync(path)).toBe(false);
});

test('a file has its name only when it is complete, also after a kill', async () => {
  const parent = await newDirectory();
  function* text() {
    yield 'a';
    expect(existsSync(join(parent, 'file'))).toBe(false);
    yield 'b';
  }
  await createAtomically(join(parent, 'file'), text());
  expect(await readdir(parent)).toEqual(['file']);
  const source = `
    import { createAtomically } from ${JSON.stringify(new URL('write-file.ts', import.meta.url).href)};
    function* killed() { yield 'x'.repeat(100_000); process.kill(process.pid, 'SIGKILL'); yield 'y'; }
    await createAtomically('killed', killed());`;
  const args = ['--input-type=module', '--eval', source];
  expect(spawnSync(process.execPath, args, { cwd: parent, encoding: 'utf8' })).toMatchObject({ signal: 'SIGKILL' });
  expect(existsSync(join(parent, 'killed'))).toBe(false);
});

test('what appears at the name while a file is written stays, and the longest name can be used', async () => {
  const parent = await newDirectory();
  const [path, other] = [join(parent, 'n'.repeat(255)), join(parent, 'other')];
  await createAtomically(path, ['a']);
  await writeFile(other, 'mine');
  for (const make of [link, symlink, async (_: string, to: string) => mkdir(to)]) {
    const taken = join(parent, make.name || 'directory');
    async function* text() {
      yield 'a';
      await make(other, taken);
    }
    await expect(createAtomically(taken, text())).rejects.toMatchObject({ code: 'EEXIST' });
  }
  await symlink('nothing', join(parent, 'dangling'));
  await expect(createAtomically(join(parent, 'dangling'), ['a'])).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await readFile(other, 'utf8')).toBe('mine');
  expect((await readdir(parent)).filter((name) => name.startsWith('.'))).toEqual([]);
});
