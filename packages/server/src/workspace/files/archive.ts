import { basename } from 'node:path';
import { globMatcher } from '@varve/text';
import { gitDelta } from '@varve/tools/workspace';

/** Names that archives leave out by default. @see agent-server 1.43.1, /api/file/archive */
const defaultExcludes =
  'node_modules/ .venv/ venv/ __pycache__/ .mypy_cache/ .pytest_cache/ .ruff_cache/ dist/ build/ .next/ target/ *.pyc';

/** Files of a repository that may contain credentials of its remotes. */
const credentials =
  /(?:^|\/)(?:\.git-credentials$|\.git\/(?:.*\/)?(?:config(?:\.worktree)?|credentials|FETCH_HEAD|logs)$)/;

/** Returns the patterns to exclude. */
export function excludesOf(useDefaults: boolean, patterns: readonly string[]): readonly string[] {
  return [...(useDefaults ? defaultExcludes.split(' ') : []), ...patterns];
}

/** Archive to send. */
export interface Archive {
  readonly name: string;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>;
}

/** Options of `patchArchive`. */
export interface PatchOptions {
  /** Commit, branch or tag to compare with. */
  readonly ref: string | undefined;
  /** Patterns as in `.gitignore`. */
  readonly excludes: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Returns the changes of a working tree as a patch of git.
 *
 * @throws {ToolError} `unusable` when the directory is not in a repository, `invalid-input` for an unknown ref.
 */
export async function patchArchive(directory: string, { ref, excludes, signal }: PatchOptions): Promise<Archive> {
  const { patch, base } = await gitDelta(directory, { exclude: excludes, signal, ...(ref !== undefined && { ref }) });
  const headers = base === undefined ? {} : { 'x-archive-base-commit': base, 'x-archive-base-ref': ref ?? 'auto' };
  return { name: `${basename(directory)}.patch`, type: 'text/x-patch', headers, body: new Uint8Array(patch) };
}

/**
 * Returns the files of a directory as a compressed archive, without links and without credentials of a repository.
 * `excludes` are matched with each name of a path.
 */
export async function tarArchive(directory: string, excludes: readonly string[]): Promise<Archive> {
  // Loaded here, so that the server starts faster.
  const { create } = await import('tar');
  const globs = excludes.map((pattern) => globMatcher(pattern.replace(/\/$/, ''), { dot: true }));
  const isExcluded = (part: string): boolean => globs.some(({ matches }) => matches(part));
  const name = basename(directory) || 'root';
  const stream = create(
    {
      cwd: directory,
      gzip: true,
      prefix: name,
      filter: (path, entry) =>
        !('isSymbolicLink' in entry && entry.isSymbolicLink()) &&
        !credentials.test(path) &&
        !path.split('/').some((part) => part !== '.' && isExcluded(part)),
    },
    ['.'],
  );
  // Its reader receives the first error, such as a file that disappears; a later one would end the process.
  stream.on('error', () => {});
  return { name: `${name}.tar.gz`, type: 'application/gzip', headers: {}, body: ReadableStream.from(stream) };
}
