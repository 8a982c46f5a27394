import type { GitRepository } from '../git/git-repository.ts';

/** Files that the index of git has, by paths relative to the directory of a repository. */
export interface TrackedFiles {
  /** Files and the directories that contain some. Rules about ignored files do not apply to them. */
  readonly paths: ReadonlySet<string>;
  /** Blobs to which files on the disk are equal, as far as git does not convert them. */
  readonly blobs: ReadonlyMap<string, string>;
  /** Directories of submodules. */
  readonly submodules: ReadonlySet<string>;
}

/** Reads the index; without a repository, nothing is tracked. */
export async function trackedFiles(repository: GitRepository | undefined): Promise<TrackedFiles> {
  const [paths, blobs, submodules] = [new Set<string>(), new Map<string, string>(), new Set<string>()];
  const staged = (await repository?.line('ls-files', '--stage', '-v', '-z')) ?? '';
  const modified = await repository?.line('ls-files', '--modified', '-z');
  const changed = new Set(modified?.split('\0'));
  for (const line of staged.split('\0')) {
    const [, tag = '', mode = '', blob = '', path = ''] = /^(.) (\d+) ([0-9a-f]+) \d\t(.*)$/s.exec(line) ?? [];
    if (path === '') continue;
    if (mode === '160000') submodules.add(path);
    // Others are marked so that git does not compare them with the disk.
    else if (tag === 'H' && modified !== undefined && !changed.has(path)) blobs.set(path, blob);
    for (let at = path.length; at > 0 && !paths.has(path.slice(0, at)); at = path.lastIndexOf('/', at - 1))
      paths.add(path.slice(0, at));
  }
  return { paths, blobs, submodules };
}
