import { dirname, join } from 'node:path';
import type { WrapOptions, WrappedCommand } from '@varve/sandbox';
import { oldestChild } from '../../processes/process-table.ts';
import { programIn } from '../../processes/program-sandbox.ts';
import { outputsDirectory } from '../cleanup/terminal-directory.ts';
import { stateDirectory } from './session-files.ts';
import type { ShellProcessOptions } from './shell-process.ts';

/** Returns the command that starts the shell, in its sandbox if it has one. */
export function shellCommand(
  { shell, startupFile, sandbox, directory, environment, marks = {} }: ShellProcessOptions,
  options: Pick<WrapOptions, 'keepDescriptors' | 'newSession'> = {},
): WrappedCommand {
  const argv = [shell, '--noprofile', '--rcfile', startupFile, '--noediting', '-i'] as const;
  const own = dirname(startupFile);
  const readOnly = [own, join(dirname(own), outputsDirectory)];
  const writable = [join(own, stateDirectory)];
  return programIn(sandbox, [...argv], { directory, env: environment, marks, readOnly, writable, ...options });
}

/**
 * Returns a function for the id of a shell. In a sandbox it is the child of the first process inside, which the started
 * one creates; until both exist, it is the id of the started one.
 */
export function shellId(started: number, { sandbox }: Pick<ShellProcessOptions, 'sandbox'>): () => number {
  let pid: number | undefined;
  return () => {
    if (sandbox === undefined || process.platform !== 'linux') return started;
    const first = pid === undefined ? oldestChild(started) : undefined;
    pid ??= first === undefined ? undefined : oldestChild(first);
    return pid ?? started;
  };
}
