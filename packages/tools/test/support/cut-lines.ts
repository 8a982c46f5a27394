import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redactor } from '@varve/text';
import { findShell } from '../../src/processes/shell-environment.ts';
import { escalateInterrupt } from '../../src/terminal/escalate-interrupt.ts';
import { OutputBuffer } from '../../src/terminal/output/output-buffer.ts';
import { pipeBackend } from '../../src/terminal/session/pipe-backend.ts';
import { ptyBackend } from '../../src/terminal/session/pty-backend.ts';
import type { ShellBackend } from '../../src/terminal/session/shell-process.ts';
import { ShellSession } from '../../src/terminal/session/shell-session.ts';
import type { WaitEnd } from '../../src/terminal/session/wait-queue.ts';

const { signal } = new AbortController();

/** Shell whose commands can be interrupted after any number of characters of their line. */
export interface CutLines extends AsyncDisposable {
  /**
   * Sends a command and C-c as they arrive when bash has read `cut` characters of the line: it forgets these, prints a
   * prompt and executes the rest. Interrupts like a cancelled call; returns how the command ended.
   */
  readonly interrupted: (command: string, cut: number) => Promise<WaitEnd>;
  /** Runs a command in the same shell, or in a new one if that has ended, and returns its output. */
  readonly outputOf: (command: string) => Promise<string>;
}

/** Starts a shell for {@link CutLines}. */
export async function cutLines(pty: boolean): Promise<CutLines> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'varve-cut-')));
  const real = pty ? await ptyBackend() : pipeBackend;
  if (real === undefined) throw new Error('There is no library for pseudo terminals.');
  const state: { cut: number | undefined } = { cut: undefined };
  const open = (): Promise<ShellSession> => startSession(cuttingBackend(real, state), directory);
  let session = await open();
  return {
    async interrupted(command, cut) {
      state.cut = cut;
      session.run(command);
      const end = await escalateInterrupt(session);
      session.acknowledge();
      return end;
    },
    async outputOf(command) {
      await session.waitUntilSettled(signal);
      if (session.status === 'ended') session = await open();
      session.take();
      session.run(command);
      await session.wait({ lateMs: 20_000 });
      session.acknowledge();
      return session.take().text;
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function cuttingBackend(real: ShellBackend, state: { cut: number | undefined }): ShellBackend {
  return {
    name: real.name,
    start(options) {
      const shell = real.start(options);
      let rest: string | undefined;
      return {
        ...shell,
        submit(line) {
          if (state.cut === undefined) return shell.submit(line);
          rest = line.slice(state.cut);
          state.cut = undefined;
        },
        interrupt() {
          shell.interrupt();
          if (rest === undefined) return;
          if (shell.tty) shell.type(`${rest}\n`);
          else shell.submit(rest);
          rest = undefined;
        },
      };
    },
  };
}

function startSession(backend: ShellBackend, directory: string): Promise<ShellSession> {
  const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' };
  const options = {
    backend,
    shell: findShell(undefined, environment.PATH),
    environment,
    directory,
    privateDirectory: join(directory, 'private'),
    output: new OutputBuffer({ maxChars: 10_000, directory, maxSavedBytes: 10_000 }),
    redactor: redactor([], { replacement: '' }),
  };
  return ShellSession.start(options, signal);
}
