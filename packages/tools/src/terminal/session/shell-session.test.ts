import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redactor } from '@varve/text';
import { expect, test, vi } from 'vitest';
import { OutputBuffer } from '../output/output-buffer.ts';
import type { ShellProcess } from './shell-process.ts';
import { ShellSession } from './shell-session.ts';

const { signal } = new AbortController();

/** Creates a session whose shell prints only the output that the test writes. */
interface ScriptedSession extends AsyncDisposable {
  readonly session: ShellSession;
  /** Directory of its files. */
  readonly directory: string;
  /** Positions of the lines sent to the shell, from 1 on. */
  readonly lines: readonly number[];
  /** Number of C-c keys sent to the shell. */
  readonly interrupts: number;
  readonly print: (text: string) => void;
  /** Prints the prompt that follows line `id`. */
  readonly prompt: (id: number, exitCode?: number) => void;
}

async function scriptedSession(): Promise<ScriptedSession> {
  const directory = await mkdtemp(join(tmpdir(), 'varve-session-'));
  const lines: number[] = [];
  /** Numbers in the lines, by their position; the shell starts with 0. */
  const numbers = ['0'];
  let interrupts = 0;
  let nonce = '';
  let emit: ((bytes: Buffer) => void) | undefined;
  const print = (text: string): void => emit?.(Buffer.from(text));
  const prompt = (id: number, exitCode = 0): void => print(`\u001B]697;D;${nonce};${numbers[id]};${exitCode};/\u0007`);
  const shellProcess = (end: (exitCode: number) => void): ShellProcess => ({
    pid: 1,
    tty: true,
    submit: (line) => void lines.push(numbers.push(/__varve_\w+ (\d+)/.exec(line)?.[1] ?? '') - 1),
    type: () => true,
    interrupt: () => void (interrupts += 1),
    signal: () => undefined,
    kill: () => end(137),
    hangUp: () => end(129),
  });
  const session = await ShellSession.start(
    {
      backend: {
        name: 'pty',
        start({ startupFile, onData, onExit }) {
          nonce = /697;D;([0-9a-f]{16});/.exec(readFileSync(startupFile, 'utf8'))?.[1] ?? '';
          emit = onData;
          queueMicrotask(() => prompt(0));
          return shellProcess(onExit);
        },
      },
      shell: '/bin/bash',
      environment: {},
      directory,
      privateDirectory: directory,
      output: new OutputBuffer({ maxChars: 1000, directory, maxSavedBytes: 1000 }),
      redactor: redactor([], { replacement: '' }),
    },
    signal,
  );
  return {
    session,
    directory,
    lines,
    get interrupts() {
      return interrupts;
    },
    print,
    prompt,
    async [Symbol.asyncDispose]() {
      await session.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

test('a command that was not interrupted ends with its prompt', async () => {
  await using shell = await scriptedSession();
  shell.session.run('true');
  shell.prompt(1, 3);
  expect(await shell.session.wait({})).toBe('finished');
  expect(shell.session.exitCode).toBe(3);
  expect(shell.lines).toEqual([1]);
});

test('output of the shell after the prompt of an interrupted command belongs to that command', async () => {
  await using shell = await scriptedSession();
  shell.session.run('sleep 60');
  shell.session.interrupt();
  const ended = shell.session.wait({});
  shell.print('one\r\n');
  shell.prompt(1, 130);
  shell.print('Terminated\r\n');
  expect(shell.lines).toEqual([1, 2]);
  shell.prompt(2);
  expect(await ended).toBe('finished');
  expect(shell.session.exitCode).toBe(130);
  expect(shell.session.take().text).toBe('one\nTerminated');
});

test('a probe discarded by a late interrupt is sent again until it is answered', async () => {
  await using shell = await scriptedSession();
  shell.session.run('sleep 60');
  shell.session.interrupt();
  const ended = shell.session.wait({});
  shell.prompt(1, 130);
  shell.prompt(1, 130);
  expect(shell.lines).toEqual([1, 2, 3]);
  shell.prompt(1, 130);
  expect(shell.lines).toEqual([1, 2, 3, 4]);
  shell.prompt(4);
  expect(await ended).toBe('finished');
  shell.session.acknowledge();
  shell.session.run('true');
  expect(shell.lines).toEqual([1, 2, 3, 4, 5]);
});

test('a probe is not sent again while a later one is in flight', async () => {
  await using shell = await scriptedSession();
  shell.session.run('sleep 60');
  shell.session.interrupt();
  const ended = shell.session.wait({});
  shell.prompt(1, 130);
  shell.prompt(1, 130);
  shell.prompt(2);
  expect(shell.lines).toEqual([1, 2, 3]);
  shell.prompt(2);
  expect(shell.lines).toEqual([1, 2, 3, 4]);
  shell.prompt(4);
  expect(await ended).toBe('finished');
});

test('a command that was not started is sent again, and the shell is unusable when it answers no probe', async () => {
  await using shell = await scriptedSession();
  shell.session.run('true');
  shell.prompt(0, 2);
  expect(shell.lines).toEqual([1, 2]);
  shell.prompt(2);
  expect(shell.lines).toEqual([1, 2, 3]);
  for (let prompts = 0; prompts < 20; prompts += 1) shell.prompt(2, 1);
  expect(await shell.session.wait({})).toBe('unusable');
  expect(shell.lines.length).toBeLessThan(20);
});

test('a wait that times out reports the end of a command before the shell has settled; the next call waits for that', async () => {
  await using shell = await scriptedSession();
  shell.session.run('sleep 60');
  shell.session.interrupt();
  shell.prompt(1, 130);
  expect(await shell.session.wait({ lateMs: 0 })).toBe('finished');
  shell.session.acknowledge();
  await expect(shell.session.waitUntilSettled(AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' });
  const settled = shell.session.waitUntilSettled(signal);
  shell.print('Killed\r\n');
  shell.prompt(2);
  await settled;
  expect(shell.session.take().text).toBe('Killed');
  expect(shell.session.status).toBe('idle');
});

test('a command that the shell discarded unread ends as interrupted', async () => {
  await using shell = await scriptedSession();
  shell.session.run('true');
  shell.session.interrupt();
  const ended = shell.session.wait({});
  shell.prompt(0, 130);
  shell.prompt(2);
  expect(await ended).toBe('finished');
  expect(shell.session.exitCode).toBe(130);
});

test('an interrupted command has not ended when the shell only prints a prompt', async () => {
  await using shell = await scriptedSession();
  shell.session.run('sleep 60');
  shell.session.interrupt();
  shell.prompt(0, 130);
  expect(shell.session.status).toBe('running');
  expect(await shell.session.wait({ lateMs: 0 })).toBe('late');
  shell.session.interrupt();
  shell.prompt(1, 130);
  expect(shell.lines).toEqual([1, 2, 3]);
  shell.prompt(3);
  expect(await shell.session.wait({})).toBe('finished');
});

test('a command is not sent again after C-c', async () => {
  await using shell = await scriptedSession();
  shell.session.run('true');
  shell.prompt(0, 2);
  shell.session.interrupt();
  shell.prompt(2);
  expect(shell.lines).toEqual([1, 2, 3]);
  shell.prompt(3);
  expect(shell.session).toMatchObject({ status: 'finished', exitCode: 130 });
  expect(shell.lines).toEqual([1, 2, 3]);
});

test('a marker that a program prints does not end its command, whatever number it guesses', async () => {
  await using shell = await scriptedSession();
  shell.session.run('true');
  shell.prompt(1);
  shell.session.acknowledge();
  shell.session.run('sleep 60');
  const nonce = /697;D;([0-9a-f]{16})/.exec(readFileSync(join(shell.directory, 'startup'), 'utf8'))?.[1];
  for (let number = 0; number < 10; number += 1)
    for (const kind of ['', 'P;']) shell.print(`\u001B]697;D;${nonce};${kind}${number};0;/etc\u0007`);
  expect(shell.session).toMatchObject({ status: 'running', directory: '/' });
  expect(shell.lines).toEqual([1, 2]);
  shell.prompt(2, 7);
  expect(shell.session).toMatchObject({ status: 'finished', exitCode: 7 });
});

test('a shell that does not settle is interrupted and then killed', async () => {
  await using shell = await scriptedSession();
  shell.session.run('sleep 60');
  shell.session.interrupt();
  shell.prompt(1, 130);
  shell.session.acknowledge();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const settled = shell.session.waitUntilSettled(signal);
    await vi.advanceTimersByTimeAsync(15_000);
    await settled;
  } finally {
    vi.useRealTimers();
  }
  expect(shell.interrupts).toBe(2);
  expect(shell.session).toMatchObject({ status: 'ended', isUnsettled: true, exitCode: 137 });
});

test('secrets that the shell has not read are removed at the end of their command or of the shell', async () => {
  await using shell = await scriptedSession();
  const { session } = shell;
  session.run('true', { KEY: 'swordfish' });
  expect(readdirSync(shell.directory)).toContain('secrets');
  session.interrupt();
  shell.prompt(0, 130);
  shell.prompt(2);
  expect(readdirSync(shell.directory)).not.toContain('secrets');
  session.acknowledge();
  session.run('true', { KEY: 'swordfish' });
  session.kill();
  expect(readdirSync(shell.directory)).toEqual(['command', 'startup', 'state']);
  session.run('true', { KEY: 'swordfish' });
  expect(readdirSync(shell.directory)).not.toContain('secrets');
});

test('a wait with an aborted signal ends at once, and the command goes on', async () => {
  await using shell = await scriptedSession();
  shell.session.run('sleep 60');
  expect(await shell.session.wait({ signal: AbortSignal.abort() })).toBe('aborted');
  expect(shell.session.status).toBe('running');
  shell.prompt(1);
  expect(await shell.session.wait({ signal: AbortSignal.abort() })).toBe('finished');
});

test('a closed session leaves no files', async () => {
  await using shell = await scriptedSession();
  await shell.session.close();
  expect(existsSync(shell.directory)).toBe(false);
});
