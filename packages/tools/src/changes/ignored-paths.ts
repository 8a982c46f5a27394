import type { GitRepository } from '../git/git-repository.ts';
import type { TrackedFiles } from './tracked-files.ts';

/** Directories of programs, which nothing restores, where no rule of git ignores them. */
export const namesOfPrograms: ReadonlySet<string> = new Set(['node_modules', '.venv', '__pycache__']);

/** Returns those of some paths, relative to the directory of a repository, that its rules or their names ignore. */
export async function ignoredPaths(
  paths: readonly string[],
  repository: GitRepository | undefined,
  { paths: tracked, submodules }: TrackedFiles,
): Promise<ReadonlySet<string>> {
  const untracked = paths.filter((path) => !tracked.has(path));
  const ignored = new Set(untracked.filter((path) => namesOfPrograms.has(path.slice(path.lastIndexOf('/') + 1))));
  // Git refuses a list with a path of a submodule.
  const inSubmodule = (path: string): boolean => [...submodules].some((name) => path.startsWith(`${name}/`));
  const asked = untracked.filter((path) => !ignored.has(path) && !inSubmodule(path));
  if (!repository || asked.length === 0) return ignored;
  // This command refuses literal paths. With a dot in front, no name is a pattern.
  const input = asked.map((path) => `./${path}`).join('\0');
  const git = repository.with({ input, variables: { GIT_LITERAL_PATHSPECS: '0' } });
  // With the index, the time grows by the product of its size and the number of paths.
  const result = await git('check-ignore', '--no-index', '-z', '--stdin').catch(() => undefined);
  if (result?.exitCode !== 0) return ignored;
  for (const path of result.output.toString().split('\0')) if (path !== '') ignored.add(path.slice(2));
  return ignored;
}
