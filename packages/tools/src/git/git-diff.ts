import { lstat, readFile, readlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ToolError } from '../contract/error.ts';
import { decodeText } from '../files/text-encoding.ts';
import { gitBase } from './git-base.ts';
import type { GitCompareOptions } from './git-changes.ts';
import { gitRepository } from './git-repository.ts';

/** Whole content of a file before and after its changes. */
export interface GitDiff {
  /** Current content; empty when the file is deleted or binary. */
  readonly modified: string;
  /** Content in the compared commit; empty when the file is new or binary. */
  readonly original: string;
  /** True if one of the two versions is binary. */
  readonly isBinary: boolean;
}

const maxDiffBytes = 1024 * 1024;

/**
 * Returns the current content of a file and its content in the compared commit, with line ends unchanged. A deleted
 * file is compared as long as its directory exists.
 *
 * @throws {ToolError} `unusable` when the file is not in a repository, `invalid-input` when `ref` does not exist, when
 * the file exists on neither side, or when it is larger than 1 MiB; `aborted`.
 */
export async function gitDiff(path: string, options: GitCompareOptions = {}): Promise<GitDiff> {
  const repository = await gitRepository(dirname(path), options.signal);
  const object = `${await gitBase(repository, options.ref)}:./${basename(path)}`;
  const stats = await lstat(path).catch(() => undefined);
  const exists = stats?.isFile() || stats?.isSymbolicLink();
  const before = await repository.line('cat-file', '-s', object);
  if (!exists && before === undefined)
    throw new ToolError('invalid-input', `There is no file ${path}, neither now nor before.`);
  if ((stats?.size ?? 0) > maxDiffBytes || Number(before ?? 0) > maxDiffBytes)
    throw new ToolError('invalid-input', `The file ${path} is larger than 1 MiB.`);
  // Like git, compare the target path of a link and not the linked file, which may be outside of the repository.
  const now = stats?.isSymbolicLink()
    ? await readlink(path, 'buffer')
    : exists
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
