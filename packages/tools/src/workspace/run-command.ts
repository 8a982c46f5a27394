import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { ToolError } from '../contract/error.ts';
import { shellEnvironment } from '../processes/shell-environment.ts';
import { sendSignal } from '../processes/signals.ts';
import { cappedOutput } from './capped-output.ts';
import { defaultTimeoutMs, maxOutputBytes } from './limits.ts';
import type { CommandOptions, CommandResult } from './workspace.ts';

/** Options of {@link runCommand}. */
export interface RunCommandOptions extends Omit<CommandOptions, 'directory'> {
  /** Standard input; default none. A command that does not read it is not an error. */
  readonly input?: string;
  /** Variables in addition to the public ones of this process. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Time between SIGTERM and SIGKILL, and between SIGKILL and closing the pipes. */
const graceMs = 1000;

/**
 * Runs a command in a shell with its own process group, in an existing directory. At the timeout, or when cancelled,
 * the whole group receives SIGTERM and a second later SIGKILL; programs that created their own group keep running.
 *
 * @throws {ToolError} `unusable` when the shell or the directory does not exist, `aborted`.
 */
export async function runCommand(
  command: string,
  directory: string,
  { timeoutMs = defaultTimeoutMs, signal, input = '', variables = {} }: RunCommandOptions = {},
): Promise<CommandResult> {
  if (signal?.aborted) throw new ToolError('aborted', 'The command was cancelled.');
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const env = shellEnvironment({ inherited: process.env, own: variables });
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: directory,
    env,
    stdio: 'pipe',
    detached: true,
  });
  // The command may end before it has read everything.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const stdout = cappedOutput(maxOutputBytes);
  const stderr = cappedOutput(maxOutputBytes);
  child.stdout.on('data', stdout.push);
  child.stderr.on('data', stderr.push);
  child.once('error', (cause) =>
    reject(new ToolError('unusable', `No shell could be started in ${directory}.`, { cause })),
  );
  child.once('close', (code, name) => resolve(name === null ? (code ?? 1) : 128 + constants.signals[name]));
  const timers: NodeJS.Timeout[] = [];
  const later = (ms: number, work: () => void): void => void timers.push(setTimeout(work, ms));
  const kill = (name: NodeJS.Signals): void => {
    if (child.pid !== undefined) sendSignal(-child.pid, name);
  };
  let isEnding = false;
  const end = (): void => {
    if (isEnding) return;
    isEnding = true;
    kill('SIGTERM');
    later(graceMs, () => {
      kill('SIGKILL');
      // Programs that left the group may keep the pipes open.
      later(graceMs, () => [child.stdout, child.stderr].forEach((stream) => stream.destroy()));
    });
  };
  let timedOut = false;
  later(timeoutMs, () => {
    timedOut = !isEnding;
    end();
  });
  signal?.addEventListener('abort', end);
  try {
    const exitCode = await promise;
    if (signal?.aborted) throw new ToolError('aborted', 'The command was cancelled.', { cause: signal.reason });
    return { exitCode: timedOut ? -1 : exitCode, stdout: stdout.text(), stderr: stderr.text(), timedOut };
  } finally {
    signal?.removeEventListener('abort', end);
    timers.forEach(clearTimeout);
  }
}
