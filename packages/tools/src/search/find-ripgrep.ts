import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { ToolError } from '../error.ts';

/**
 * The path of the ripgrep to use: the given one, else that of the package `@vscode/ripgrep`, else the first on `searchPath`.
 * The package comes first, because a search path may lead into the repository that is searched.
 *
 * @throws {ToolError} `unusable` when there is none.
 */
export async function findRipgrep(given: string | undefined, searchPath: string | undefined): Promise<string> {
  if (given !== undefined) {
    if (isExecutable(given)) return given;
    throw new ToolError('unusable', `The ripgrep ${given} is not an executable file.`);
  }
  const packaged = await import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => undefined,
  );
  if (packaged !== undefined && isExecutable(packaged)) return packaged;
  const directories = (searchPath ?? '').split(delimiter).filter(isAbsolute);
  const found = directories.map((directory) => join(directory, 'rg')).find(isExecutable);
  if (found === undefined) throw new ToolError('unusable', 'No ripgrep was found on this machine.');
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
