import { isAbsolute } from 'node:path';
import { ToolError } from '../contract/error.ts';
import { newestFirst } from './newest-first.ts';
import { pathFilter } from './path-filter.ts';
import { findRipgrep, type RipgrepEnd, type RipgrepRun, runRipgrep } from './ripgrep.ts';
import { searchRoot, type SearchRoot } from './search-root.ts';

/** Where and how far `grep` and `glob` search. */
export interface SearchOptions {
  /**
   * `workspace`: only what lies, links resolved, in the workspace or in one of `roots`. `unrestricted`: every path of this
   * machine. Default: `workspace`.
   */
  readonly jail?: 'workspace' | 'unrestricted';
  /** Further directories, absolute. */
  readonly roots?: readonly string[];
  /** The most files to report. Default: 100. */
  readonly maxFiles?: number;
  /** The longest answer, in UTF-16 units. Default: 30 000. */
  readonly maxChars?: number;
  /** A search that takes longer reports what it has found. Default: 30 000. */
  readonly timeoutMs?: number;
  /** Path of a ripgrep. Default: the one of the optional package, else the first on the search path. */
  readonly ripgrep?: string;
}

/** Which files to look for. */
export interface FileQuery {
  readonly root: SearchRoot;
  /** Glob pattern of their paths. */
  readonly include: string;
  /** Arguments that decide which of them count, for instance the expression to look for; prints names that end in NUL. */
  readonly args: readonly string[];
  readonly signal: AbortSignal;
}

/** The newest files that were found. */
export interface FilesFound {
  readonly paths: readonly string[];
  /** How many there are; at least, when `isPartial`. */
  readonly count: number;
  /** The search was ended before it had seen everything. */
  readonly isPartial: boolean;
  /** What ripgrep complains about. */
  readonly message?: string;
}

/** More files are not compared by age. */
const mostNames = 50_000;

/** What `grep` and `glob` share: limits, the way to ripgrep, and the search for files. */
export class FileSearch {
  readonly #options: SearchOptions;
  readonly maxFiles: number;
  readonly maxChars: number;
  #program: Promise<string> | undefined;

  /** @throws {ToolError} `unusable` when a root is not absolute. */
  constructor(options: SearchOptions) {
    const wrong = options.roots?.find((root) => !isAbsolute(root));
    if (wrong !== undefined) throw new ToolError('unusable', `The root ${wrong} is not an absolute path.`);
    this.#options = options;
    this.maxFiles = options.maxFiles ?? 100;
    this.maxChars = options.maxChars ?? 30_000;
  }

  /** Where to search; a sentence when the path is not good. */
  async root(path: string | undefined, workspace: string): Promise<SearchRoot | string> {
    const { jail = 'workspace', roots = [] } = this.#options;
    return searchRoot(path ?? '.', { workspace, roots: jail === 'workspace' ? roots : undefined });
  }

  /**
   * Finds files that no ignore rule excludes. The rules of `.gitignore` hold outside of repositories too; hidden files are
   * found when `include` names them, and what lies in `.git` never.
   */
  async files({ root, include, args, signal }: FileQuery): Promise<FilesFound> {
    const { matches, isHidden } = pathFilter(include);
    const names: string[] = [];
    const { end, message } = await this.run({
      args: ['--no-require-git', ...(isHidden ? ['--hidden', '--glob=!.git'] : []), ...args, '--', root.entry],
      directory: root.directory,
      signal,
      separator: '\0',
      onRecord(record) {
        const name = record.startsWith('./') ? record.slice(2) : record;
        if (matches(name)) names.push(name);
        return names.length < mostNames;
      },
    });
    const newest = await newestFirst(root.directory, names, this.maxFiles);
    return { ...newest, isPartial: end !== 'done', ...(message !== undefined && { message }) };
  }

  /** @throws {ToolError} `unusable` when there is no ripgrep. */
  async run(run: Omit<RipgrepRun, 'program' | 'timeoutMs'>): Promise<RipgrepEnd> {
    this.#program ??= findRipgrep(this.#options.ripgrep, process.env['PATH']);
    return runRipgrep({ ...run, program: await this.#program, timeoutMs: this.#options.timeoutMs ?? 30_000 });
  }
}
