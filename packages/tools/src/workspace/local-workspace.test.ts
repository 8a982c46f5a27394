import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRunning } from '../../test/support/is-running.ts';
import { cappedOutput } from './capped-output.ts';
import { jail } from './jail.ts';
import { localWorkspace } from './local-workspace.ts';
import type { Workspace } from './workspace.ts';

interface Opened extends AsyncDisposable {
  readonly workspace: Workspace;
  readonly inside: (path: string) => string;
  readonly outside: (path: string) => string;
}

/** Creates a workspace and a sibling directory with the file `secret`. */
async function opened(): Promise<Opened> {
  const path = await mkdtemp(join(tmpdir(), 'varve-local-'));
  await mkdir(join(path, 'in'));
  await mkdir(join(path, 'out'));
  await writeFile(join(path, 'out/secret'), 'secret');
  return {
    workspace: localWorkspace(join(path, 'in')),
    inside: (name) => join(path, 'in', name),
    outside: (name) => join(path, 'out', name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

const refused = { code: 'invalid-input' };

test('links are followed inside, and refused if they lead outside, also to a missing target', async () => {
  await using place = await opened();
  const { workspace, inside, outside } = place;
  await workspace.write('dir/file', '1');
  await symlink('dir/file', inside('link'));
  await symlink(outside(''), inside('away'));
  await symlink(outside('secret'), inside('stolen'));
  await symlink(outside('new'), inside('dangling'));
  await workspace.write('link', '2');
  expect(await readlink(inside('link'))).toBe('dir/file');
  expect((await workspace.read('dir/file')).toString()).toBe('2');
  for (const path of ['stolen', 'away/secret', 'dangling', 'away/new', 'dir/../away/secret']) {
    await expect(workspace.read(path), path).rejects.toMatchObject(refused);
    await expect(workspace.write(path, 'x'), path).rejects.toMatchObject(refused);
    await expect(workspace.upload(inside('dir/file'), path), path).rejects.toMatchObject(refused);
    await expect(workspace.download(path, outside('copy')), path).rejects.toMatchObject(refused);
  }
  for (const path of ['away', 'away/sub']) {
    await expect(workspace.list(path), path).rejects.toMatchObject(refused);
    await expect(workspace.execute('true', { directory: path }), path).rejects.toMatchObject(refused);
    await expect(workspace.changes(path), path).rejects.toMatchObject(refused);
    await expect(workspace.addWorktree(join(path, 'tree')), path).rejects.toMatchObject(refused);
  }
  await expect(workspace.diff('away/secret')).rejects.toMatchObject(refused);
  expect(await localWorkspace(outside('')).list()).toEqual([{ name: 'secret', kind: 'file' }]);
});

test('the path of a workspace may be a link', async () => {
  await using place = await opened();
  const { inside, outside } = place;
  await symlink(inside(''), outside('link'));
  const workspace = localWorkspace(outside('link'));
  await workspace.write('file', '1');
  expect((await workspace.read(inside('file'))).toString()).toBe('1');
  expect((await workspace.execute('pwd -P')).stdout).toBe(`${inside('')}\n`.replace(/\/\n/, '\n'));
});

test.runIf(process.platform === 'linux')(
  'a write goes to the checked directory, even if its path is replaced during the write',
  async () => {
    await using place = await opened();
    const { inside, outside } = place;
    await mkdir(inside('dir'));
    await jail(inside('')).within('dir/file', async (path) => {
      await rename(inside('dir'), inside('moved'));
      await symlink(outside(''), inside('dir'));
      await writeFile(path, 'x');
    });
    expect(await readFile(inside('moved/file'), 'utf8')).toBe('x');
    await expect(stat(outside('file'))).rejects.toMatchObject({ code: 'ENOENT' });
  },
);

test('a pipe is refused without blocking', async () => {
  await using place = await opened();
  const { workspace, inside } = place;
  await workspace.execute('mkfifo pipe');
  await expect(workspace.read('pipe')).rejects.toMatchObject(refused);
  await expect(workspace.write('pipe', 'x')).rejects.toMatchObject(refused);
  await expect(workspace.upload(inside('pipe'), 'copy')).rejects.toMatchObject(refused);
});

test('a file over 64 MiB cannot be read, but copied', async () => {
  await using place = await opened();
  const { workspace, inside, outside } = place;
  const file = await open(inside('large'), 'w');
  await file.truncate(64 * 1024 * 1024 + 1);
  await file.close();
  await expect(workspace.read('large')).rejects.toMatchObject(refused);
  await workspace.download('large', outside('large'));
  expect((await stat(outside('large'))).size).toBe(64 * 1024 * 1024 + 1);
});

test('copies keep time and mode, and a replaced file keeps its mode', async () => {
  await using place = await opened();
  const { workspace, inside, outside } = place;
  await chmod(outside('secret'), 0o740);
  await utimes(outside('secret'), 1_700_000_000, 1_700_000_000);
  await workspace.upload(outside('secret'), 'copy');
  await workspace.download('copy', outside('back'));
  for (const path of [inside('copy'), outside('back')])
    expect(await stat(path)).toMatchObject({ mode: 0o100740, mtimeMs: 1_700_000_000_000 });
  await workspace.write('copy', 'new');
  expect((await stat(inside('copy'))).mode).toBe(0o100740);
});

test('a removed workspace is not alive', async () => {
  await using place = await opened();
  const { workspace, inside } = place;
  await rm(inside(''), { recursive: true });
  expect(await workspace.isAlive()).toBe(false);
  await expect(workspace.execute('true')).rejects.toMatchObject(refused);
});

test('credentials of this process do not reach a command', async () => {
  await using place = await opened();
  const { workspace } = place;
  process.env['VARVE_TEST_API_KEY'] = 'sk-test';
  try {
    expect((await workspace.execute('env')).stdout).not.toContain('sk-test');
  } finally {
    delete process.env['VARVE_TEST_API_KEY'];
  }
});

test('a cancelled command ends with the programs it started', async () => {
  await using place = await opened();
  const { workspace } = place;
  const controller = new AbortController();
  const running = workspace.execute('sleep 300 & echo $! > new; mv new pid; wait', { signal: controller.signal });
  running.catch(() => undefined);
  while (!(await workspace.list()).some(({ name }) => name === 'pid'));
  const pid = Number((await workspace.read('pid')).toString());
  expect(isRunning(pid)).toBe(true);
  controller.abort();
  await expect(running).rejects.toMatchObject({ code: 'aborted' });
  expect(isRunning(pid)).toBe(false);
});

test.for([1, 3, 10])('output in pieces of %i keeps both ends', (size) => {
  const output = cappedOutput(20);
  const text = Array.from({ length: 100 }, (_, index) => String.fromCharCode(97 + (index % 26))).join('');
  for (let at = 0; at < 100; at += size) output.push(Buffer.from(text.slice(at, at + size)));
  expect(output.text()).toBe(`${text.slice(0, 10)}\n[80 bytes left out]\n${text.slice(-10)}`);
});

test('output within the limit is kept whole', () => {
  const output = cappedOutput(20);
  for (const part of ['0123456', '789abcdefghi', 'j']) output.push(Buffer.from(part));
  expect(output.text()).toBe('0123456789abcdefghij');
});
