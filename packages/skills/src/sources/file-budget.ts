import type { SourceProblem, SourceRoot } from './read-source.ts';

/** Maximum number of files of one kind of a project that are read: a repository may contain any number. */
const maxFiles = 100;

/** Files of one kind that are still read. Files of the user are not limited. */
export interface FileBudget {
  /** Counts a file, and reports whether it is to be read. */
  readonly reads: (root: SourceRoot) => boolean;
  /** Returns the problem of the files that were left out, if there are any. */
  readonly problems: () => readonly SourceProblem[];
}

/** Counts the files of one kind, such as `skills`, of a directory. */
export function fileBudget(kind: string, directory: string): FileBudget {
  let files = 0;
  return {
    reads({ scope }) {
      if (scope === 'project') files += 1;
      return scope === 'user' || files <= maxFiles;
    },
    problems() {
      const message = `The repository has ${files} files of ${kind}, of which the first ${maxFiles} are read.`;
      return files > maxFiles ? [{ path: directory, message }] : [];
    },
  };
}
