import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Directories of the system: a search path may name one that programs of the sandbox can write. */
const directories = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin'];

/** Returns the path of a program of the system; undefined when it is not installed. */
export function findProgram(name: string): string | undefined {
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
