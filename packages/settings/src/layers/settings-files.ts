import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SettingsError } from '../error.ts';
import { exists, repositoryDirectories } from '../files/repository.ts';
import { readTextFile } from '../files/text-file.ts';

/** Names of a settings file, in a data directory or in `.varve` of a project. */
const names = ['config.json', 'config.jsonc'];

/** A file of settings that exists. */
export interface SettingsFile {
  readonly path: string;
  readonly text: string;
}

/** Returns the path of the user's settings file: the existing one, else `config.json` of varve's data directory. */
export async function userSettingsPath(home: string): Promise<string> {
  return (await existingIn(home)) ?? join(home, 'config.json');
}

/** Reads the user's settings file; undefined if it is missing. */
export async function userSettingsFile(home: string): Promise<SettingsFile | undefined> {
  const path = await userSettingsPath(home);
  const text = await readTextFile(path);
  return text === undefined ? undefined : { path, text };
}

/**
 * Returns the path of a project's settings file: in `.varve` of the workspace or of the nearest directory above it, up
 * to the root of its repository; without one, where a new file belongs. Undefined if that is the user's own directory.
 */
export async function projectSettingsPath(workspace: string, home: string): Promise<string | undefined> {
  const userHome = await resolvedPath(home);
  const directories = await repositoryDirectories(resolve(workspace));
  for (const directory of directories) {
    const file = await existingIn(join(directory, '.varve'));
    if (file !== undefined && (await resolvedPath(dirname(file))) !== userHome) return file;
  }
  const created = join(directories.at(-1) ?? workspace, '.varve');
  return (await resolvedPath(created)) === userHome ? undefined : join(created, 'config.json');
}

/**
 * Reads a project's settings file; undefined if it is missing. Its own symbolic link is refused, and so is one of its
 * directory, because it would name a file outside of the repository.
 *
 * @throws {SettingsError} `invalid` for a link.
 */
export async function projectSettingsFile(workspace: string, home: string): Promise<SettingsFile | undefined> {
  const path = await projectSettingsPath(workspace, home);
  if (path === undefined) return undefined;
  const directory = await lstat(dirname(path)).catch(() => undefined);
  if (directory?.isSymbolicLink()) throw new SettingsError('invalid', `${dirname(path)} is a symbolic link.`);
  const text = await readTextFile(path, { symlinks: 'refuse' });
  return text === undefined ? undefined : { path, text };
}

/** @throws {SettingsError} `invalid` if both names exist. */
async function existingIn(directory: string): Promise<string | undefined> {
  const files: string[] = [];
  for (const name of names) if (await exists(join(directory, name))) files.push(join(directory, name));
  if (files.length > 1) throw new SettingsError('invalid', `${files.join(' and ')} both exist.`);
  return files[0];
}

async function resolvedPath(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}
