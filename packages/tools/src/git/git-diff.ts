import { lstat, readlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ToolError } from '../contract/error.ts';
import { readRegularFile } from '../files/read-file.ts';
import { decodeText } from '../files/text-encoding.ts';
import { commitAndParent, gitBase } from './git-base.ts';
import type { GitCompareOptions } from './git-changes.ts';
import { gitRepository, type GitRepository } from './git-repository.ts';

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

/** Options of {@link gitDiff}. */
export interface GitDiffOptions extends GitCompareOptions {
  /** Commit whose own change of the file is returned: the contents in it and in its first parent. Excludes `ref`. */
  readonly commit?: string;
}

/**
 * Returns the current content of a file and its content in the compared commit, with line ends unchanged. A deleted
 * file is compared as long as its directory exists.
 *
 * @throws {ToolError} `unusable` when the file is not in a repository, `invalid-input` when `ref` or `commit` does not
 * exist, when the file exists on neither side, or when it is larger than 1 MiB; `aborted`.
 */
export async function gitDiff(path: string, options: GitDiffOptions = {}): Promise<GitDiff> {
  const repository = await gitRepository(dirname(path), options.signal);
  const versions =
    options.commit === undefined
      ? [currentFile(path), blob(repository, await gitBase(repository, options.ref), path)]
      : await commitVersions(repository, options.commit, path);
  const [now, before] = await Promise.all(versions);
  if (!now && !before) throw new ToolError('invalid-input', `There is no file ${path}, neither now nor before.`);
  if ([now, before].some((version) => version && version.size > maxDiffBytes))
    throw new ToolError('invalid-input', `The file ${path} is larger than 1 MiB.`);
  const [modified, original] = await Promise.all([textOf(now), textOf(before)]);
  return {
    modified: modified ?? '',
    original: original ?? '',
    isBinary: modified === undefined || original === undefined,
  };
}

/** Version of a file; it is read only if it is small. */
interface Version {
  readonly size: number;
  readonly read: () => Promise<Buffer>;
}

async function commitVersions(repository: GitRepository, ref: string, path: string) {
  const { commit, parent } = await commitAndParent(repository, ref);
  return [blob(repository, commit, path), blob(repository, parent, path)];
}

/** Like git, uses the target path of a link and not the linked file, which may be outside of the repository. */
async function currentFile(path: string): Promise<Version | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isFile() && !stats?.isSymbolicLink()) return undefined;
  const isLink = stats.isSymbolicLink();
  return {
    size: stats.size,
    read: async () => (isLink ? readlink(path, 'buffer') : readRegularFile(path, maxDiffBytes)),
  };
}

async function blob(repository: GitRepository, tree: string, path: string): Promise<Version | undefined> {
  const object = `${tree}:./${basename(path)}`;
  const size = await repository.line('cat-file', '-s', object);
  if (size === undefined) return undefined;
  return { size: Number(size), read: async () => (await repository.git('cat-file', 'blob', object)).output };
}

/** Returns undefined for a binary version. */
async function textOf(version: Version | undefined): Promise<string | undefined> {
  return version ? (await decodeText(await version.read()))?.text : '';
}
