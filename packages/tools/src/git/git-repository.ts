import { ToolError } from '../contract/error.ts';
import { type GitResult, type GitRun, runGit } from './run-git.ts';

/** Function that runs git, with the signature of {@link runGit}. */
export type RunGit = (run: GitRun) => Promise<GitResult>;

/** Repository of a directory. */
export interface GitRepository {
  /** Runs git with the programs disabled that the repository configures. */
  readonly git: (...args: readonly string[]) => Promise<GitResult>;
  /** Runs git and returns its output without the final line feed; undefined when git fails. */
  readonly line: (...args: readonly string[]) => Promise<string | undefined>;
  /** Returns the hash of a commit or tree by a name; undefined if it does not exist. */
  readonly hash: (name: string) => Promise<string | undefined>;
  /** Returns `git` with additional settings and environment variables. */
  readonly with: (extra: Pick<GitRun, 'settings' | 'variables' | 'input'>) => GitRepository['git'];
}

/**
 * Opens the repository of a directory; `run` allows a repository on another machine.
 *
 * @throws {ToolError} `unusable` when the directory is not in a repository, or git refuses it.
 */
export async function gitRepository(
  directory: string,
  signal?: AbortSignal,
  run: RunGit = runGit,
): Promise<GitRepository> {
  const common = { directory, ...(signal && { signal }) };
  const inside = await run({ ...common, args: ['rev-parse', '--is-inside-work-tree'] });
  if (inside.output.toString().trim() !== 'true')
    throw new ToolError('unusable', `The directory ${directory} is in no working tree of git that can be read.`);
  const settings = await filterOverrides(common, run);
  const git = (...args: readonly string[]): Promise<GitResult> => run({ ...common, args, settings });
  const line = async (...args: readonly string[]): Promise<string | undefined> => {
    const { exitCode, output } = await git(...args);
    return exitCode === 0 ? output.toString().replace(/\n$/, '') : undefined;
  };
  return {
    git,
    line,
    hash: (name) => line('rev-parse', '--verify', '--quiet', '--end-of-options', name),
    with:
      (extra) =>
      (...args) =>
        run({ ...common, ...extra, args, settings: { ...settings, ...extra.settings } }),
  };
}

/** Returns settings that disable every filter of the repository, which git would run to compare contents. */
async function filterOverrides(common: { readonly directory: string; readonly signal?: AbortSignal }, run: RunGit) {
  const { output } = await run({
    ...common,
    args: ['config', '--null', '--name-only', '--get-regexp', String.raw`^filter\.`],
  });
  const drivers = new Set(
    output
      .toString()
      .split('\0')
      .flatMap((name) => /^(filter\..*)\.[^.]*$/s.exec(name)?.[1] ?? []),
  );
  return Object.fromEntries(
    [...drivers].flatMap((driver) => [
      [`${driver}.clean`, ''],
      [`${driver}.smudge`, ''],
      [`${driver}.process`, ''],
      [`${driver}.required`, 'false'],
    ]),
  ) as Record<string, string>;
}
