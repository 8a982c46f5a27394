import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { withFileLock } from './file-lock.ts';
import { readTextFile, removeFile, replaceFile } from './text-file.ts';
import { readJsonFile, updateFile, updateJsonFile } from './update-file.ts';

const newDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'varve-settings-'));

test('a missing file has no text, and its first update creates it for its owner only', async () => {
  const home = join(await newDirectory(), 'a', 'b');
  const path = join(home, 'config.json');
  expect(await readTextFile(path)).toBeUndefined();
  await updateFile(path, (text) => `${text ?? 'new'}!`, { lockFile: join(home, 'lock') });
  expect(await readTextFile(path)).toBe('new!');
  expect([(await stat(path)).mode & 0o777, (await stat(home)).mode & 0o777]).toEqual([0o600, 0o700]);
});

test('no concurrent update is lost', async () => {
  const home = await newDirectory();
  const path = join(home, 'count.json');
  const add = (): Promise<void> =>
    updateJsonFile(path, z.number(), (count = 0) => count + 1, { lockFile: join(home, 'lock') });
  await Promise.all(Array.from({ length: 40 }, add));
  expect(await readJsonFile(path, z.number())).toBe(40);
  expect((await readdir(home)).toSorted()).toEqual(['count.json', 'lock']);
});

test.runIf(process.platform !== 'win32')('a write that the disk rejects names the file, and keeps it', async () => {
  const home = await newDirectory();
  const path = join(home, 'a.json');
  await replaceFile(path, 'old');
  const source = `
    import { replaceFile } from ${JSON.stringify(new URL('text-file.ts', import.meta.url).href)};
    await replaceFile(${JSON.stringify(path)}, 'x'.repeat(10_000)).catch((error) => console.log(error.message));`;
  const node = [process.execPath, '--conditions=@varve/source', '--input-type=module', '--eval', source];
  // The error of a write to an open file names none.
  const output = execFileSync('sh', ['-c', 'ulimit -f 1 && exec "$0" "$@"', ...node], { encoding: 'utf8' });
  expect(output).toBe(`${path} cannot be read or written: EFBIG.\n`);
  expect(await readTextFile(path)).toBe('old');
});

test('a change that throws writes nothing and releases the lock', async () => {
  const home = await newDirectory();
  const path = join(home, 'a.json');
  const options = { lockFile: join(home, 'lock') };
  await replaceFile(path, 'old');
  const failing = updateFile(path, () => Promise.reject(new Error('no')), options);
  await expect(failing).rejects.toThrow('no');
  await updateFile(path, (text) => `${text} new`, options);
  expect(await readTextFile(path)).toBe('old new');
});

test('a lock that stays held is an error that names its file', async () => {
  const lockFile = join(await newDirectory(), 'lock');
  await withFileLock(lockFile, async () => {
    const second = withFileLock(lockFile, () => 0, { timeoutMs: 1 });
    await expect(second).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(lockFile) as unknown,
    });
    const aborted = withFileLock(lockFile, () => 0, { signal: AbortSignal.abort(new Error('stop')) });
    await expect(aborted).rejects.toThrow('stop');
  });
  expect(await withFileLock(lockFile, () => 'free')).toBe('free');
  expect((await stat(lockFile)).size).toBe(0);
});

test('what is no database is not a lock', async () => {
  const lockFile = join(await newDirectory(), 'lock');
  await mkdir(lockFile);
  await expect(withFileLock(lockFile, () => 0)).rejects.toMatchObject({ code: 'io' });
});

test('a lock with a link or a pipe in place of its journal is refused, and does not wait', async () => {
  const lockFile = join(await newDirectory(), 'lock');
  const journal = `${lockFile}-journal`;
  for (const put of [() => symlink('none', journal), () => execFileSync('mkfifo', [journal])]) {
    await put();
    await expect(withFileLock(lockFile, () => 0)).rejects.toMatchObject({
      code: 'io',
      message: `The file ${lockFile} cannot be locked: ${journal} is not a regular file.`,
    });
    await rm(journal);
  }
  expect(await withFileLock(lockFile, () => 'free')).toBe('free');
});

test('a link to a file is followed, or refused', async () => {
  const home = await newDirectory();
  const [link, target] = [join(home, 'link.json'), join(home, 'target.json')];
  await writeFile(target, 'old');
  await symlink(target, link);
  expect(await readTextFile(link)).toBe('old');
  await replaceFile(link, 'new');
  expect(await readFile(target, 'utf8')).toBe('new');
  await expect(readTextFile(link, { symlinks: 'refuse' })).rejects.toThrow('is a symbolic link');
  await expect(replaceFile(link, 'x', { symlinks: 'refuse' })).rejects.toThrow('is a symbolic link');
});

test('an update removes what killed writers left, and nothing else', async () => {
  const home = await newDirectory();
  const path = join(home, 'a.json');
  const others = ['.a.json.tmp', '.a.json.12x.tmp', 'b.json'];
  for (const name of ['.a.json.123.tmp', ...others]) await writeFile(join(home, name), '');
  await replaceFile(path, 'new');
  expect((await readdir(home)).toSorted()).toEqual(['a.json', ...others].toSorted());
});

test('only small UTF-8 text in regular files is read', async () => {
  const home = await newDirectory();
  const write = async (name: string, bytes: Buffer): Promise<string> => {
    await writeFile(join(home, name), bytes);
    return join(home, name);
  };
  execFileSync('mkfifo', [join(home, 'pipe')]);
  await expect(readTextFile(join(home, 'pipe'))).rejects.toThrow('is not a regular file');
  await expect(readTextFile(home)).rejects.toThrow('is not a regular file');
  await expect(readTextFile(await write('big', Buffer.alloc(1024 * 1024 + 1, 97)))).rejects.toThrow(
    'more than 1048576',
  );
  await expect(readTextFile(await write('bytes', Buffer.from([0xff, 0xfe])))).rejects.toThrow('is not UTF-8 text');
  expect(await readTextFile(await write('bom', Buffer.from('\uFEFF{}')))).toBe('{}');
});

test('errors of JSON files contain no value', async () => {
  const path = join(await newDirectory(), 'a.json');
  for (const text of ['{"key": sk-secret}', '{"key": 5, "other": "sk-secret"}']) {
    await writeFile(path, text);
    const schema = z.object({ key: z.string() });
    const error = await readJsonFile(path, schema).catch(({ message }: Error) => message);
    expect(error).toContain(path);
    expect(error).not.toContain('secret');
  }
});

test('a file that cannot be written is an error, and removing a missing file is not', async () => {
  const home = await newDirectory();
  await writeFile(join(home, 'file'), '');
  await expect(replaceFile(join(home, 'file', 'a'), 'x')).rejects.toMatchObject({ code: 'io' });
  await removeFile(join(home, 'missing', 'a'));
  await removeFile(join(home, 'file'));
  expect(await readdir(home)).toEqual([]);
  await chmod(home, 0o700);
});
