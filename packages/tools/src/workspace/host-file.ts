import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { makeDirectories } from '@varve/files';
import { ToolError } from '../contract/error.ts';

/** Opens a file of this machine for reading; does not block on a pipe. The caller closes it. */
export async function openHostFile(path: string): Promise<FileHandle> {
  return regularFile(path, await open(absolute(path), constants.O_RDONLY | constants.O_NONBLOCK));
}

/** Creates the parent directories of a path on this machine, and returns the path. */
export async function prepareHostPath(path: string): Promise<string> {
  makeDirectories(dirname(absolute(path)));
  return path;
}

/**
 * Returns an open file if it is a regular file, else closes it.
 *
 * @throws {ToolError} `invalid-input`.
 */
export async function regularFile(path: string, file: FileHandle): Promise<FileHandle> {
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new ToolError('invalid-input', `The path ${path} is not a file.`);
}

function absolute(path: string): string {
  if (!isAbsolute(path)) throw new ToolError('invalid-input', `The path ${path} is not absolute.`);
  return path;
}
