import { constants } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { ToolError } from '../contract/error.ts';

/** Opens a file of this machine for reading; a pipe does not hold it up. The caller closes it. */
export async function openHostFile(path: string): Promise<FileHandle> {
  return regularFile(path, await open(absolute(path), constants.O_RDONLY | constants.O_NONBLOCK));
}

/** The path of this machine that a file will be put at; the directories above it are created. */
export async function prepareHostPath(path: string): Promise<string> {
  await mkdir(dirname(absolute(path)), { recursive: true });
  return path;
}

/**
 * The open file, when it is a regular one; else it is closed.
 *
 * @throws {ToolError} `invalid-input`.
 */
export async function regularFile(path: string, file: FileHandle): Promise<FileHandle> {
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new ToolError('invalid-input', `The path ${path} is no file.`);
}

function absolute(path: string): string {
  if (!isAbsolute(path)) throw new ToolError('invalid-input', `The path ${path} is not absolute.`);
  return path;
}
