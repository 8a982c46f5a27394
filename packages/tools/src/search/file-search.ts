import type { PathOptions } from '../files/path-options.ts';
import { isAbsolute } from 'node:path';
import type { Redactor } from '@varve/text';
import { ToolError } from '../contract/error.ts';
import type { ToolContext } from '../contract/tool.ts';
import { maskedStart } from './masked-start.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type Machine, type Newest, thisMachine } from './machine.ts';
import { otherMachine } from './other-machine.ts';
import { pathFilter } from './path-filter.ts';
import type { RipgrepEnd, RipgrepRun } from './ripgrep.ts';
import { searchRoot, type SearchRoot } from './search-root.ts';

/** Options of `grep` and `glob`. */
export interface SearchOptions extends PathOptions {
  /** Maximum number of files in a result. Default: 100. */
  readonly maxFiles?: number;
  /** Maximum length of a result, in UTF-16 units. Default: 30 000. */
  readonly maxChars?: number;
  /** Time after which a search returns the results found so far. Default: 30 000. */
  readonly timeoutMs?: number;
  /** Masks secrets in found lines before they are cut. Default: nothing is masked here. */
  readonly redactor?: Pick<Redactor, 'stream'>;
  /** Path of ripgrep. Default: that of the optional package, else the first on the search path. */
  readonly ripgrep?: string;
  /** Workspace on another machine, which is searched with the ripgrep there. Default: that of the conversation. */
  readonly workspace?: Workspace;
}

/** Query of {@link FileSearch.files}. */
export interface FileQuery {
  readonly root: SearchRoot;
  /** Glob pattern for paths. */
  readonly include: string;
  /**
   * Arguments for ripgrep that select files, for instance an expression; its output must be names terminated by NUL.
   */
  readonly args: readonly string[];
  readonly signal: AbortSignal;
}

/** Result of {@link FileSearch.files}: the newest files. The numbers are lower bounds if `isPartial`. */
export interface FilesFound extends Newest {
  /** True if the search ended before it had covered all files. */
  readonly isPartial: boolean;
  /** Error message of ripgrep. */
  readonly message?: string;
}

/** Returns a remark for the model about files that a search found but cannot name. */
export function unnamedNote({ unnamed }: Pick<FilesFound, 'unnamed'>): string {
  if (unnamed === 0) return '';
  const files =
    unnamed === 1 ? '1 more file matches, but its name is' : `${unnamed} more files match, but their names are`;
  return ` (${files} not UTF-8: use the terminal)`;
}

const maxMessageChars = 4000;
/** Maximum number of files that are sorted by age. */
const maxNames = 50_000;

/** Search shared by `grep` and `glob`: limits, the ripgrep program, and the search for files. */
export class FileSearch {
  readonly #options: SearchOptions;
  readonly maxFiles: number;
  readonly maxChars: number;
  readonly redactor: SearchOptions['redactor'];
  readonly #machine: Machine;

  /** @throws {ToolError} `unusable` when a root is not absolute. */
  constructor(options: SearchOptions) {
    const wrong = options.roots?.find((root) => !isAbsolute(root));
    if (wrong !== undefined) throw new ToolError('unusable', `The root ${wrong} is not an absolute path.`);
    this.#options = options;
    this.maxFiles = options.maxFiles ?? 100;
    this.maxChars = options.maxChars ?? 30_000;
    this.redactor = options.redactor;
    const { workspace, ripgrep } = options;
    this.#machine = workspace ? otherMachine(workspace, ripgrep) : thisMachine(ripgrep);
  }

  /** Note for the model about the machine; empty for this one. */
  get note(): string {
    const { workspace } = this.#options;
    return workspace ? `\n- Paths are those of another machine, whose workspace is ${workspace.directory}.` : '';
  }

  /** Returns the workspace that is searched. */
  workspace({ workspace }: Pick<ToolContext, 'workspace'>): string {
    return this.#options.workspace?.directory ?? workspace;
  }

  /** Returns the directory or file to search; an error message for the model if the path is invalid. */
  async root(path: string | undefined, context: ToolContext): Promise<SearchRoot | string> {
    const { jail = 'workspace', roots = [] } = this.#options;
    const directories = [this.workspace(context), ...roots];
    return searchRoot(path ?? '.', jail, (at) => this.#machine.locate(at, directories, context.signal));
  }

  /**
   * Finds files that no ignore rule excludes. `.gitignore` applies outside of repositories too. Hidden files are found
   * if `include` names them, files in `.git` never.
   */
  async files({ root, include, args, signal }: FileQuery): Promise<FilesFound> {
    const { matches, size, isHidden } = pathFilter(include);
    const names: string[] = [];
    const { end, message } = await this.run({
      args: [
        ...this.#machine.order,
        '--no-require-git',
        ...(isHidden ? ['--hidden', '--glob=!.git'] : []),
        ...args,
        '--',
        root.entry,
      ],
      directory: root.directory,
      signal,
      separator: '\0',
      onRecord(record) {
        const name = record.startsWith('./') ? record.slice(2) : record;
        if (matches(name)) names.push(name);
        return names.length < maxNames;
      },
      stepsOf: (record) => record.length * size,
    });
    const newest = await this.#machine.newest(names, { directory: root.directory, limit: this.maxFiles, signal });
    return {
      ...newest,
      isPartial: end !== 'done',
      ...(message !== undefined && { message: this.#shortened(message) }),
    };
  }

  #shortened(message: string): string {
    return maskedStart(message, { redactor: this.redactor, maxChars: maxMessageChars });
  }

  /** @throws {ToolError} `unusable` when ripgrep is missing. */
  async run(run: Omit<RipgrepRun, 'program' | 'timeoutMs'>): Promise<RipgrepEnd> {
    return this.#machine.run({ ...run, timeoutMs: this.#options.timeoutMs ?? 30_000 });
  }
}
