import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { Writable } from 'node:stream';
import { processEntry } from '../../processes/process-table.ts';
import { sendSignal } from '../../processes/signals.ts';
import { shellCommand, shellId } from './start-shell.ts';
import type { ShellBackend, ShellProcess, ShellProcessOptions } from './shell-process.ts';

const endOfInput = '\u0004';
/** Time for which output is read after the end of the shell, when a background program keeps the pipe open. */
const drainMs = 50;

/**
 * Backend that runs bash on pipes, for machines without pseudo terminals. The shell reads its lines from one pipe and
 * programs read from another. Programs see no terminal, there is no job control, and input closed with C-d stays
 * closed.
 */
export const pipeBackend: ShellBackend = {
  name: 'pipe',
  start(options) {
    const { program, args, env } = shellCommand(options, { keepDescriptors: 3, newSession: true });
    const child = spawn(program, args, {
      cwd: options.directory,
      // The input of programs is a socket, with which bash on the first level reads the startup file of the user.
      env: { ...env, TERM: 'dumb', SHLVL: '1' },
      stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
      // Its own process group, so that signals reach every program that the shell started, and its own session, so that
      // it has no terminal.
      detached: true,
    });
    return pipeProcess(child, options);
  },
};

function pipeProcess(child: ChildProcess, options: ShellProcessOptions): ShellProcess {
  const { onData, onExit } = options;
  const pid = child.pid ?? 0;
  const id = shellId(pid, options);
  let alive = true;
  let hungUp = false;
  for (const stream of child.stdio) stream?.on('error', () => undefined);
  child.stdout?.on('data', onData);
  onEnd(child, (exitCode) => {
    alive = false;
    if (hungUp && pid > 0) sendSignal(-pid, 'SIGKILL');
    onExit(exitCode);
  });
  const signal = (name: NodeJS.Signals): void => {
    if (alive && pid > 0) sendSignal(-(processEntry(id())?.group ?? pid), name);
  };
  return {
    get pid() {
      return id();
    },
    tty: false,
    submit: (line) => void child.stdin?.write(`${line}\n`),
    type: (text) => isTyped(child.stdio[3], text),
    interrupt: () => signal('SIGINT'),
    signal(name) {
      // Shell and programs share one group. The shell ignores SIGTERM; SIGKILL would end it.
      if (name === 'SIGTERM') signal(name);
    },
    kill: () => signal('SIGKILL'),
    hangUp() {
      hungUp = true;
      signal('SIGHUP');
    },
  };
}

/** Writes text to the input of programs; returns false if it is closed. */
function isTyped(input: ChildProcess['stdio'][number] | undefined, text: string): boolean {
  if (!(input instanceof Writable) || !input.writable) return false;
  if (text === endOfInput) input.end();
  else input.write(text.replaceAll('\r', '\n'));
  return true;
}

function onEnd(child: ChildProcess, ended: (exitCode: number) => void): void {
  const finish = (exitCode: number): void => {
    const stdout = child.stdout;
    if (stdout === null || stdout.readableEnded) return ended(exitCode);
    const timer = setTimeout(() => stdout.destroy(), drainMs);
    stdout.once('close', () => {
      clearTimeout(timer);
      ended(exitCode);
    });
  };
  child.once('error', () => ended(127));
  child.once('exit', (code, signal) => finish(signal === null ? (code ?? 1) : 128 + constants.signals[signal]));
}
