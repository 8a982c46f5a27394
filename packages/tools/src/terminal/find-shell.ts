import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ToolError } from '../error.ts';

/**
 * The path of the bash to use: the given one, else the first on `searchPath`, else where systems keep it.
 *
 * @throws {ToolError} `unusable` when there is none that can be executed.
 */
export function findShell(given: string | undefined, searchPath: string | undefined): string {
  if (given !== undefined) {
    if (isExecutable(given)) return given;
    throw new ToolError('unusable', `The shell ${given} is not an executable file.`);
  }
  const directories = [...(searchPath ?? '').split(delimiter).filter(Boolean), '/bin', '/usr/bin', '/usr/local/bin'];
  const found = directories.map((directory) => join(directory, 'bash')).find(isExecutable);
  if (found === undefined) throw new ToolError('unusable', 'No bash was found on this machine.');
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
