import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { WrappedCommand } from '@varve/sandbox';
import type { Variables } from '@varve/text';
import { ToolError } from '../contract/error.ts';
import { programIn, type ProgramSandbox } from './program-sandbox.ts';
import { shellEnvironment } from './shell-environment.ts';
import { sendSignal } from './signals.ts';

/** Receives bytes of a command; the stream is not read until a returned promise resolves. */
export type OnOutput = (stream: 'stdout' | 'stderr', bytes: Buffer) => Promise<void> | undefined;

/** Options of {@link streamCommand}. */
export interface StreamCommandOptions {
  readonly onOutput: OnOutput;
  /** After it the command ends with exit code -1. */
  readonly timeoutMs: number;
  /** Ends the command. */
  readonly signal?: AbortSignal;
  /** Standard input; default none. A command that does not read it is not an error. */
  readonly input?: string;
  /** Variables whose public part the command receives; default those of this process. */
  readonly inherit?: Variables;
  /** Variables in addition to the public ones. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Walls around the command. Default: none. */
  readonly sandbox?: ProgramSandbox;
}

/** End of a command. */
export interface CommandEnd {
  /** Exit code; 128 plus its number for a signal; -1 after the timeout. */
  readonly exitCode: number;
  readonly timedOut: boolean;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Time between SIGTERM and SIGKILL, and between SIGKILL and closing the pipes. */
const graceMs = 1000;

/** Longest delay of a timer. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Runs a command in a shell with its own process group, in an existing directory, and reports its output as it comes.
 * At the timeout, or when cancelled, the whole group receives SIGTERM and a second later SIGKILL; programs that created
 * their own group keep running.
 *
 * @throws {ToolError} `unusable` when the shell or the directory does not exist or the command contains a null
 * character, `aborted`. A rejection of `onOutput` ends the command and passes through.
 */
export async function streamCommand(
  command: string,
  directory: string,
  { onOutput, timeoutMs, signal, input = '', inherit = process.env, variables = {}, sandbox }: StreamCommandOptions,
): Promise<CommandEnd> {
  if (signal?.aborted) throw new ToolError('aborted', 'The command was cancelled.');
  const env = shellEnvironment({ inherited: inherit, own: variables });
  const child = started(programIn(sandbox, ['/bin/sh', '-c', command], { directory, env }), directory);
  const { promise: exited, resolve, reject } = Promise.withResolvers<number>();
  child.once('error', (cause) => reject(unstartable(directory, cause)));
  child.once('close', (code, name) => resolve(name === null ? (code ?? 1) : 128 + constants.signals[name]));
  // The command may end before it has read everything.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  using ending = endingOf(child);
  let failure: { readonly error: unknown } | undefined;
  const failed = (error: unknown): void => {
    failure ??= { error };
    ending.end();
    // Without a reader the rest of the output would keep the pipes open.
    for (const stream of [child.stdout, child.stderr]) stream.removeAllListeners('data').resume();
  };
  forward(child.stdout, (bytes) => onOutput('stdout', bytes), failed);
  forward(child.stderr, (bytes) => onOutput('stderr', bytes), failed);
  let timedOut = false;
  ending.after(Math.min(Math.max(timeoutMs, 0), maxTimerMs), () => {
    timedOut = ending.end();
  });
  const abort = (): void => void ending.end();
  signal?.addEventListener('abort', abort);
  try {
    const exitCode = await exited;
    if (failure) throw failure.error;
    if (signal?.aborted) throw new ToolError('aborted', 'The command was cancelled.', { cause: signal.reason });
    return { exitCode: timedOut ? -1 : exitCode, timedOut };
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

function started({ program, args, env }: WrappedCommand, directory: string): Child {
  try {
    return spawn(program, args, { cwd: directory, env, stdio: 'pipe', detached: true });
  } catch (cause) {
    // A null character, or a command beyond the limit of the system.
    throw unstartable(directory, cause);
  }
}

function unstartable(directory: string, cause: unknown): ToolError {
  return new ToolError('unusable', `No shell could be started in ${directory}.`, { cause });
}

function forward(
  stream: Readable,
  push: (bytes: Buffer) => Promise<void> | undefined,
  failed: (error: unknown) => void,
): void {
  stream.on('data', (bytes: Buffer) => {
    const stored = push(bytes);
    if (!stored) return;
    stream.pause();
    stored.then(() => void stream.resume(), failed);
  });
}

/** Way to end the process group of a command; disposing stops its timers. */
interface Ending extends Disposable {
  /** Runs work later, unless disposed. */
  after(ms: number, work: () => void): void;
  /** Ends the group; returns false if that has already begun. */
  end(): boolean;
}

function endingOf({ pid, stdout, stderr }: Child): Ending {
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number, work: () => void): void => void timers.push(setTimeout(work, ms));
  const kill = (name: NodeJS.Signals): void => {
    if (pid !== undefined) sendSignal(-pid, name);
  };
  let isEnding = false;
  return {
    after,
    end() {
      if (isEnding) return false;
      isEnding = true;
      kill('SIGTERM');
      after(graceMs, () => {
        kill('SIGKILL');
        // Programs that left the group may keep the pipes open.
        after(graceMs, () => [stdout, stderr].forEach((stream) => stream.destroy()));
      });
      return true;
    },
    [Symbol.dispose]: () => timers.forEach(clearTimeout),
  };
}
