import { spawn } from 'node:child_process';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isInside } from '../support/inside-sandbox.ts';
import { isRunning, printedPid } from '../support/is-running.ts';
import { backends, openTerminal } from '../support/open-terminal.ts';
import { directoryVariable, terminatePrograms } from '../../src/terminal/cleanup/kill-programs.ts';

type Shell = Awaited<ReturnType<typeof openTerminal>>;

/**
 * Runs a command in the background that writes its process id to the file `pid`, and returns the id when the process
 * has reached its final program.
 */
async function started(shell: Shell, command: string, program = 'sleep'): Promise<number> {
  const isReached = `[ -s pid ] && ps -o comm= -p "$(cat pid)" | grep -q ${program}$`;
  const script = `rm -f pid; ${command} > /dev/null 2>&1 & until ${isReached}; do sleep 0.01; done`;
  // The shell may report at any time that what it started has ended, so the output is not only the id.
  expect(await shell.call({ command: script, timeout: 60 })).toMatchObject({ exit_code: 0 });
  const pid = printedPid(await readFile(join(shell.workspace, 'pid'), 'utf8'));
  expect(isRunning(pid)).toBe(true);
  return pid;
}

const gone = async (pid: number): Promise<void> =>
  expect.poll(() => isRunning(pid), { interval: 10, timeout: 20_000 }).toBe(false);

/** Command that writes its process id just before its final program. */
const sleeper = `'echo $$ > pid.new; mv pid.new pid; exec sleep 600'`;

describe.skipIf(process.platform !== 'linux').for(backends)('closing a terminal on a %s', ([, pty]) => {
  test.for([
    ['setsid', `setsid sh -c ${sleeper}`],
    ['nohup', `nohup sh -c ${sleeper}`],
    ['setsid twice', `setsid sh -c 'setsid sh -c "$0" & sleep 600' ${sleeper}`],
    ['a subshell that ends', `(setsid sh -c ${sleeper} &)`],
  ] as const)('ends programs started with %s', async ([, command]) => {
    await using shell = await openTerminal(pty);
    const pid = await started(shell, command);
    await shell.tool.close();
    await gone(pid);
  });

  test('reports the programs that it ended, once, without the shell', async () => {
    const notices: string[] = [];
    await using shell = await openTerminal(pty, { onNotice: (sentence) => notices.push(sentence) });
    const pid = await started(shell, `setsid sh -c ${sleeper}`);
    await shell.tool.close();
    await shell.tool.close();
    expect(notices).toEqual([`Stopped a program that was still running: sleep 600 (${pid})`]);
  });

  test('reports nothing when no program is running', async () => {
    let reports = 0;
    await using shell = await openTerminal(pty, { onNotice: () => (reports += 1) });
    await shell.call({ command: 'true', timeout: 60 });
    await shell.tool.close();
    expect(reports).toBe(0);
  });

  test('kills programs that ignore SIGTERM', async () => {
    await using shell = await openTerminal(pty);
    const stubborn = `setsid sh -c 'trap "" TERM HUP; echo $$ > pid.new; mv pid.new pid; while :; do sleep 0.1; done'`;
    const pid = await started(shell, stubborn, 'sh');
    await shell.tool.close();
    await gone(pid);
  });

  test('does not touch programs of other terminals, nor, without a sandbox, programs without the variable', async () => {
    await using other = await openTerminal(pty);
    await using shell = await openTerminal(pty);
    const kept = await started(other, `setsid sh -c ${sleeper}`);
    const unmarked = await started(shell, `env -u VARVE_TERMINAL setsid sh -c ${sleeper}`);
    await shell.tool.close();
    expect(isRunning(kept)).toBe(true);
    await expect.poll(() => isRunning(unmarked), { interval: 10, timeout: 20_000 }).toBe(!isInside);
    if (!isInside) process.kill(unmarked, 'SIGKILL');
    await other.tool.close();
    await gone(kept);
  });
});

test.skipIf(process.platform !== 'linux')('terminated programs have time to clean up', async () => {
  await using place = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const orderly = 'trap "echo done; exit" TERM; echo up; while :; do sleep 0.01; done';
  const env = { PATH: process.env['PATH'], [directoryVariable]: place.path };
  const program = spawn('sh', ['-c', orderly], { env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const output = program.stdout.iterator({ destroyOnReturn: false });
  expect(String((await output.next()).value)).toBe('up\n');
  await terminatePrograms(place.path, 20_000);
  expect(String((await output.next()).value)).toBe('done\n');
});

test('a reset does not end background programs that left their shell, unless the shell was in a sandbox', async () => {
  await using shell = await openTerminal(false);
  const pid = await started(shell, `setsid sh -c ${sleeper}`);
  await shell.call({ command: 'true', reset: true, timeout: 60 });
  await expect.poll(() => isRunning(pid), { interval: 10, timeout: 20_000 }).toBe(!isInside);
});
