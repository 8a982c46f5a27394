import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Returns varve's data directory: VARVE_HOME, else `~/.varve`. */
export function varveHome(io: TerminalIo): string {
  const home = io.env['VARVE_HOME'];
  return home ? pathIn(io, home) : join(userHome(io), '.varve');
}

/** Returns the absolute path of a path of the user: `~/` is the home directory. */
export function pathIn(io: TerminalIo, path: string): string {
  if (path === '~' || path.startsWith('~/')) return join(userHome(io), path.slice(1));
  // The current directory is read only if needed, because it may have been removed.
  return isAbsolute(path) ? resolve(path) : resolve(io.cwd, path);
}

/** Returns the home directory of the user. */
export function userHome({ env }: TerminalIo): string {
  return env['HOME'] || homedir();
}
