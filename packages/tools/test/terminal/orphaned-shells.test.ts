import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { psEntries } from '../../src/processes/process-table.ts';
import { isRunning } from '../support/is-running.ts';
import { metadataOf, backends, openTerminal, outputOf } from '../support/open-terminal.ts';
import { directoryVariable } from '../../src/terminal/cleanup/kill-programs.ts';
import { killOrphanedShells } from '../../src/terminal/cleanup/terminal-directory.ts';
import { recordProcess } from '../../src/processes/process-record.ts';

const module = fileURLToPath(new URL('../../src/terminal/terminal.ts', import.meta.url));

/** Creates a temporary directory that no other test uses, and names that of the terminals of a host there. */
async function temporary(): Promise<AsyncDisposable & { readonly path: string; readonly terminals: string }> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'varve-reap-')));
  return {
    path,
    terminals: join(path, `varve-${process.getuid?.() ?? 0}`),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Runs one command in the terminal of a child process until it has printed `count` numbers, then kills the process. */
async function killedHost(directory: string, { pty, command, numbers }: Killed): Promise<readonly number[]> {
  const host = join(directory, 'host.ts');
  await writeFile(
    host,
    `import { terminal } from ${JSON.stringify(module)};
const tool = terminal({ pty: ${pty} });
await tool.execute(tool.parse({ command: ${JSON.stringify(command)}, timeout: 600 }), {
  workspace: '/', signal: new AbortController().signal, idempotencyKey: 'host',
  onOutput: (chunk) => process.stdout.write(chunk),
});
`,
  );
  const env = { ...process.env, TMPDIR: directory };
  const child = spawn(process.execPath, ['--conditions=@varve/source', host], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let pids: readonly number[] = [];
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    pids = [...text.matchAll(/pid=(\d+)\s/g)].map(([, pid]) => Number(pid));
    if (pids.length >= numbers) break;
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  return pids;
}

interface Killed {
  readonly pty: boolean;
  readonly command: string;
  readonly numbers: number;
}

/** Records an ended process that had the number of another one. */
async function recordGone(file: string, pid: number = 0): Promise<void> {
  recordProcess(file, pid);
  const { started, ...rest } = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...rest, started: `${started}0` }));
}

const printPid = 'printf "pid=%s\\n"';
const stubborn = `trap "" HUP INT TERM; ${printPid} $BASHPID; while :; do sleep 1; done`;

test.for(backends)('programs left by a killed host on a %s are killed at the next start', async ([, pty]) => {
  await using place = await temporary();
  const command = `(${stubborn}) 2> /dev/null & ${printPid} $$; ${stubborn}`;
  const pids = await killedHost(place.path, { pty, command, numbers: 3 });
  expect(pids.some(isRunning)).toBe(true);
  await killedHost(place.path, { pty, command: `${printPid} 1`, numbers: 1 });
  await expect.poll(() => pids.filter(isRunning), { interval: 10, timeout: 20_000 }).toEqual([]);
  expect(await readdir(place.terminals)).toHaveLength(1);
});

test('programs of a shell that has ended are found by their environment', async () => {
  await using place = await temporary();
  // Without a terminal, an idle shell ends with its host, and its programs receive no signal.
  const pids = await killedHost(place.path, { pty: false, command: `sleep 600 & ${printPid} $! $$`, numbers: 2 });
  await expect.poll(() => pids.filter(isRunning).length, { interval: 10, timeout: 20_000 }).toBe(1);
  await killOrphanedShells(place.terminals);
  await expect.poll(() => pids.filter(isRunning), { interval: 10, timeout: 20_000 }).toEqual([]);
});

test.skipIf(process.platform !== 'linux')('a program that left the session of its shell is killed too', async () => {
  await using place = await temporary();
  const command = `setsid bash -c '${printPid} $$; exec sleep 600' > out & until [ -s out ]; do sleep 0.01; done; cat out`;
  const [pid = 0] = await killedHost(place.path, {
    pty: false,
    command: `cd ${place.path}; ${command}`,
    numbers: 1,
  });
  expect(isRunning(pid)).toBe(true);
  await killOrphanedShells(place.terminals);
  await expect.poll(() => isRunning(pid), { interval: 10, timeout: 20_000 }).toBe(false);
});

test.skipIf(process.platform !== 'linux').for([
  ['itself', '"$@"'],
  ['its parent process', 'env -u VARVE_TERMINAL "$@"; exit'],
] as const)('a process that cleans up after other hosts does not kill %s', async ([, script]) => {
  await using place = await temporary();
  const left = join(place.path, 'varve-terminal-x');
  await mkdir(left, { mode: 0o700 });
  await recordGone(join(left, 'owner'), process.pid);
  const reaping = `import { killOrphanedShells } from ${JSON.stringify(join(dirname(module), 'cleanup/terminal-directory.ts'))};
await killOrphanedShells(${JSON.stringify(place.path)});`;
  const node = [process.execPath, '--conditions=@varve/source', '--input-type=module', '-e', reaping];
  const env = { ...process.env, [directoryVariable]: left };
  const child = spawn('sh', ['-c', script, 'sh', ...node], { env, stdio: 'inherit' });
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(await readdir(place.path)).toEqual(['varve-terminal-x']);
  await killOrphanedShells(place.path);
  expect(await readdir(place.path)).toEqual([]);
});

test('terminals of running hosts are not touched', async () => {
  await using shell = await openTerminal(false);
  const first = await shell.call({ command: 'sleep 600 & kept=yes; echo "$VARVE_TERMINAL"' });
  await killOrphanedShells(dirname(outputOf(first).split('\n').at(-1) ?? ''));
  const again = await shell.call({ command: 'echo "$kept$(jobs -r | wc -l)"' });
  expect([outputOf(again), metadataOf(again).pid]).toEqual(['yes1', metadataOf(first).pid]);
});

test('a process that reuses a recorded number is not touched, and the directory is removed', async () => {
  await using place = await temporary();
  const other = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  const shell = join(place.path, 'varve-terminal-x/1');
  await mkdir(shell, { recursive: true, mode: 0o700 });
  for (const file of [join(shell, '../owner'), join(shell, 'shell')]) await recordGone(file, other.pid);
  await killOrphanedShells(place.path);
  expect(isRunning(other.pid)).toBe(true);
  expect(await readdir(place.path)).toEqual([]);
  other.kill('SIGKILL');
});

test('ps reports the same start time in every time zone and locale', () => {
  const before = process.env['TZ'];
  const started = ['Asia/Tokyo', 'America/Lima'].map((zone) => {
    process.env['TZ'] = zone;
    return psEntries(['-p', String(process.pid)]).map((entry) => entry.started);
  });
  if (before === undefined) delete process.env['TZ'];
  else process.env['TZ'] = before;
  expect(started[0]).toEqual([expect.stringMatching(/^\w{3} \w{3} \d+ [\d:]+ \d{4}$/)]);
  expect(started[1]).toEqual(started[0]);
});

test('a directory that another user owns or can write to kills no process', async () => {
  await using place = await temporary();
  const victim = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  const directory = join(place.path, 'varve-terminal-x');
  await mkdir(join(directory, '1'), { recursive: true, mode: 0o700 });
  await symlink(directory, join(place.path, 'varve-terminal-link'));
  recordProcess(join(directory, '1/shell'), victim.pid ?? 0);
  await recordGone(join(directory, 'owner'), process.pid);
  const user = process.getuid?.() ?? 0;
  await killOrphanedShells(place.path, user + 1);
  await chmod(directory, 0o777);
  await killOrphanedShells(place.path, user);
  expect(isRunning(victim.pid)).toBe(true);
  await chmod(directory, 0o700);
  await killOrphanedShells(place.path, user);
  await expect.poll(() => isRunning(victim.pid), { interval: 10, timeout: 20_000 }).toBe(false);
  expect(await readdir(place.path)).toEqual(['varve-terminal-link']);
});

test.for([
  ['of another system', '{"where":"elsewhere","pid":4194000,"started":"1"}'],
  ['that cannot be read', '{"where'],
  ['that names no process', '{}'],
])('a terminal with an owner %s is not touched', async ([, owner]) => {
  await using place = await temporary();
  await mkdir(join(place.path, 'varve-terminal-x'));
  await mkdir(join(place.path, 'varve-terminal-y'));
  await writeFile(join(place.path, 'varve-terminal-x/owner'), owner ?? '');
  await killOrphanedShells(place.path);
  expect(await readdir(place.path)).toEqual(['varve-terminal-x', 'varve-terminal-y']);
});

test('records that are pipes, devices, directories or too long are not waited for', async () => {
  await using place = await temporary();
  const makes = ['mkfifo', 'ln -s /dev/zero', 'ln -s /dev/tty', 'mkdir', 'truncate -s 1G'];
  for (const [at, make] of makes.entries()) {
    const left = join(place.path, `varve-terminal-${at}`);
    await mkdir(join(left, '1'), { recursive: true, mode: 0o700 });
    execFileSync('sh', ['-c', `${make} ${left}/owner; ${make} ${left}/1/shell`]);
    if (at % 2 === 1) {
      await rm(join(left, 'owner'), { recursive: true });
      await recordGone(join(left, 'owner'), process.pid);
    }
  }
  await killOrphanedShells(place.path);
  expect((await readdir(place.path)).toSorted()).toEqual(['varve-terminal-0', 'varve-terminal-2', 'varve-terminal-4']);
});
