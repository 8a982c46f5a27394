import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { privateDirectory } from '@varve/sandbox';
import { ToolError } from '../contract/error.ts';
import { gitBase } from './git-base.ts';
import { gitRepository } from './git-repository.ts';

/** Options of {@link gitDelta}. */
export interface GitDeltaOptions {
  /** Commit, branch or tag to compare with; default as for `gitChanges`. */
  readonly ref?: string;
  /** Patterns of ignored files, in addition to those of the repository. */
  readonly exclude?: readonly string[];
  readonly signal?: AbortSignal;
}

/** Patch of the working tree. */
export interface GitDelta {
  readonly patch: Buffer;
  /** Commit that the patch applies to; undefined for the empty tree. */
  readonly base: string | undefined;
}

/**
 * Returns the difference between a commit and the files below a directory, untracked and binary ones included, as a
 * patch. Neither the index nor the objects of the repository change, and no program that it configures is run.
 *
 * @throws {ToolError} `unusable` when the directory is not in a repository or the patch is larger than 64 MiB,
 * `invalid-input` when `ref` does not exist, `aborted`.
 */
export async function gitDelta(
  directory: string,
  { ref, exclude = [], signal }: GitDeltaOptions = {},
): Promise<GitDelta> {
  const repository = await gitRepository(directory, signal);
  const base = await gitBase(repository, ref);
  const objects = await repository.line('rev-parse', '--path-format=absolute', '--git-path', 'objects');
  const scratch = await mkdtemp(join(privateDirectory(), 'varve-delta-'));
  try {
    await mkdir(join(scratch, 'objects'));
    await writeFile(join(scratch, 'exclude'), `${exclude.join('\n')}\n`);
    const git = repository.with({
      settings: { 'core.excludesFile': join(scratch, 'exclude') },
      variables: {
        GIT_INDEX_FILE: join(scratch, 'index'),
        GIT_OBJECT_DIRECTORY: join(scratch, 'objects'),
        GIT_ALTERNATE_OBJECT_DIRECTORIES: objects ?? '',
      },
    });
    const run = async (...args: readonly string[]): Promise<Buffer> => {
      const { exitCode, output, message } = await git(...args);
      if (exitCode === 0) return output;
      throw new ToolError('unusable', `Git could not compare ${directory}: ${message || 'no reason given'}.`);
    };
    await run('read-tree', base);
    await run('add', '--all', '--', '.');
    const patch = await run('diff', '--binary', '--cached', '--no-ext-diff', '--no-textconv', base, '--', '.');
    return { patch, base: await repository.hash(`${base}^{commit}`) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
