import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedServer, type ScriptedServer, type ScriptedStep } from '@varve/llm/testing';
import { appMain } from '../../../tests/app-main.ts';
import { processEnvironment } from './process-environment.ts';

const main = appMain('cli');

interface Running {
  readonly child: ChildProcess;
  /** Resolves when stderr contains the text. */
  readonly printed: (text: string) => Promise<void>;
  readonly stderr: () => string;
  readonly exit: Promise<number | null>;
}

function start(server: ScriptedServer, home: string, args: readonly string[]): Running {
  const options = ['--base-url', server.url, '--model', 'm', '--workspace', home];
  const child = spawn(process.execPath, [main, 'run', ...options, ...args], {
    env: processEnvironment(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  const waiting = new Set<() => void>();
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    for (const check of waiting) check();
  });
  const printed = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!stderr.includes(text)) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, printed, stderr: () => stderr, exit };
}

/** A scripted turn that reports its request and waits until it is released. */
function held(turn: ScriptedStep & object) {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  const step: ScriptedStep = async () => {
    ask();
    await gate;
    return turn as Exclude<ScriptedStep, (...input: never) => unknown>;
  };
  return { step, asked, release };
}

/** Timeout for two processes, one after the other, on a busy machine. */

test('Ctrl-C pauses after the current step, and --resume finishes the task', async () => {
  const first = held({ calls: [{ name: 'think', arguments: { thought: 'Hm.' } }] });
  await using server = await scriptedServer([first.step, { text: 'Done.' }]);
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const run = start(server, home, ['Think.']);
  await first.asked;
  run.child.kill('SIGINT');
  await run.printed('Pausing');
  first.release();
  expect(await run.exit).toBe(130);
  expect(run.stderr()).toContain('Paused.');
  const id = /--resume (\w+)/.exec(run.stderr())?.[1] ?? '';
  const resumed = start(server, home, ['--resume', id]);
  expect(await resumed.exit).toBe(0);
});

test('a second Ctrl-C stops immediately: the running call gets a result, and --resume continues', async () => {
  const calls = [{ name: 'terminal', arguments: { command: 'echo started; sleep 600' } }];
  await using server = await scriptedServer([{ calls }, { text: 'Done.' }]);
  const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
  const run = start(server, home, ['Sleep.']);
  await run.printed('$ echo started');
  run.child.kill('SIGINT');
  await run.printed('Pausing');
  run.child.kill('SIGINT');
  expect(await run.exit).toBe(130);
  expect(run.stderr()).toContain('Interrupted.');
  const id = /--resume (\w+)/.exec(run.stderr())?.[1] ?? '';
  const resumed = start(server, home, ['--resume', id]);
  expect(await resumed.exit).toBe(0);
});

test.for(['SIGTERM', 'SIGHUP'] as const)(
  '%s stops immediately, and the conversation can be resumed',
  async (signal) => {
    const hanging = held({ text: 'never' });
    await using server = await scriptedServer([hanging.step]);
    const home = await mkdtemp(join(tmpdir(), 'varve-home-'));
    const run = start(server, home, ['Wait.']);
    await hanging.asked;
    for (const harmless of ['SIGQUIT', 'SIGUSR1'] as const) run.child.kill(harmless);
    run.child.kill(signal);
    expect(await run.exit).toBe(130);
    expect(run.stderr()).toContain('--resume');
    hanging.release();
  },
);
