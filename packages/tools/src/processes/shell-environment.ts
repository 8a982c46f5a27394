import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { publicVariables } from '@varve/text';
import { ToolError } from '../contract/error.ts';

/**
 * Returns the path of bash: the given one, else the first on `searchPath`, else that in a standard directory.
 *
 * @throws {ToolError} `unusable` when no executable bash is found.
 */
export function findShell(path: string | undefined, searchPath: string | undefined): string {
  if (path !== undefined) {
    if (isExecutable(path)) return path;
    throw new ToolError('unusable', `The shell ${path} is not an executable file.`);
  }
  const directories = [...(searchPath ?? '').split(delimiter).filter(Boolean), '/bin', '/usr/bin', '/usr/local/bin'];
  const shell = directories.map((directory) => join(directory, 'bash')).find(isExecutable);
  if (shell === undefined) throw new ToolError('unusable', 'No bash was found on this machine.');
  return shell;
}

/** Returns true for a file that this user may execute. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Variables that change the startup of the shell. */
const startup = new Set(['BASH_ENV', 'ENV', 'PROMPT_COMMAND', 'PS0', 'PS1', 'PS2', 'BASHOPTS', 'SHELLOPTS']);

const defaults = {
  AI_AGENT: 'varve',
  /** Marks everything that an agent has started. */
  VARVE_AGENT: '1',
  // A program that opens an editor keeps what is in the file; with `vi` it would wait for keys.
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  PAGER: 'cat',
};

/** Sources of the environment of a shell. */
export interface EnvironmentOptions {
  /** Environment of the host. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
  /** Names of variables of the host that the shell gets although they are not public. */
  readonly names?: readonly string[];
  /** Further variables, which override all others. */
  readonly own?: Readonly<Record<string, string>>;
}

/**
 * Returns the environment of the agent's shell: the public variables of the host, pagers and editors that do not wait
 * for a key, the variables in `names`, and `own`.
 *
 * @throws {ToolError} `unusable` when a name in `own` is not an identifier.
 */
export function shellEnvironment({ inherited, names = [], own = {} }: EnvironmentOptions): Record<string, string> {
  const wrong = Object.keys(own).find((name) => !isVariableName(name));
  if (wrong !== undefined) throw new ToolError('unusable', `The environment name ${wrong} is not an identifier.`);
  const named = names.flatMap((name) => {
    const value = inherited[name];
    return value === undefined || startup.has(name) ? [] : [[name, value] as const];
  });
  return { ...publicVariables(inherited), ...defaults, ...Object.fromEntries(named), ...own };
}

/** Returns true for a valid name of a shell variable. */
export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}
