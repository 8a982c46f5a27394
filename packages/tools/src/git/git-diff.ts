import { lstat, readFile, readlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ToolError } from '../contract/error.ts';
import { decodeText } from '../files/text-encoding.ts';
import { gitBase } from './git-base.ts';
import type { GitCompareOptions } from './git-changes.ts';
import { gitRepository } from './git-repository.ts';

/** A file now and before, whole. */
export interface GitDiff {
  /** Empty when the file is gone, or no text. */
  readonly modified: string;
  /** Empty when the file is new, or no text. */
  readonly original: string;
  /** Whether one of both is no text. */
  readonly isBinary: boolean;
}

const mostBytes = 1024 * 1024;

/**
 * One file as it is and as it was in what it is compared with; ends of lines and of the file are kept. A file that is gone is
 * compared too, while its directory is there.
 *
 * @throws {ToolError} `unusable` when the file is in no repository, `invalid-input` when `ref` names nothing, when there is no such
 * file on either side, or when it is larger than 1 MiB; `aborted`.
 */
export async function gitDiff(path: string, options: GitCompareOptions = {}): Promise<GitDiff> {
  const repository = await gitRepository(dirname(path), options.signal);
  const object = `${await gitBase(repository, options.ref)}:./${basename(path)}`;
  const stats = await lstat(path).catch(() => undefined);
  const isThere = stats?.isFile() || stats?.isSymbolicLink();
  const before = await repository.line('cat-file', '-s', object);
  if (!isThere && before === undefined)
    throw new ToolError('invalid-input', `There is no file ${path}, neither now nor before.`);
  if ((stats?.size ?? 0) > mostBytes || Number(before ?? 0) > mostBytes)
    throw new ToolError('invalid-input', `The file ${path} is larger than 1 MiB.`);
  // Git keeps of a link where it leads, and so does this: what lies there may be none of the repository's business.
  const now = stats?.isSymbolicLink()
    ? await readlink(path, 'buffer')
    : isThere
      ? await readFile(path)
      : Buffer.alloc(0);
  const old = before === undefined ? Buffer.alloc(0) : (await repository.git('cat-file', 'blob', object)).output;
  const [modified, original] = [now, old].map((bytes) => decodeText(bytes)?.text);
  return {
    modified: modified ?? '',
    original: original ?? '',
    isBinary: modified === undefined || original === undefined,
  };
}
