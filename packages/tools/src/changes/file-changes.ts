import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isTemporaryPath } from '@varve/files';
import { realPathOf } from '../files/real-path.ts';
import { type GitRepository, gitRepository } from '../git/git-repository.ts';
import { DirectoryWatches } from './directory-watches.ts';
import { type FileVersion, isSameVersion, modeOf, omittedVersion, readVersion } from './file-version.ts';
import { FirstContents, type FoundFile } from './first-contents.ts';
import { ignoredPaths } from './ignored-paths.ts';
import { trackedFiles, type TrackedFiles } from './tracked-files.ts';

/** A file that may have changed. */
export interface ChangedFile {
  /** Relative to the workspace, with `/`; a directory that is ignored ends with one. */
  readonly path: string;
  /** File as it was found, for one that the caller does not know; absent if there was none. */
  readonly found?: FileVersion;
  /** File now; absent if it is gone. */
  readonly after?: FileVersion;
}

interface Entry extends FoundFile {
  /** Differs whenever the file was changed; empty if a later change might not differ. */
  readonly key: string;
}

/** Options of {@link FileChanges}. */
interface FileChangesOptions {
  readonly maxBytes: number;
  readonly maxFiles: number;
  /** Absolute paths that are left out, such as the data of the application. */
  readonly excluded?: readonly string[];
}

interface FileChangesParts {
  readonly workspace: string;
  readonly maxBytes: number;
  readonly repository: GitRepository | undefined;
  readonly tracked: TrackedFiles;
}

/** Directories after which other work of the process runs. */
const directoriesPerTurn = 64;
/** Time within which two changes of a file may have the same time. */
const sameTimeMs = 50;

/**
 * Finds the files of a workspace that changed: by watches of its directories where these work, else by a walk that
 * compares sizes, times and numbers of files. Never looks into `.git`, and not into what git ignores. Calls must not
 * overlap.
 */
export class FileChanges {
  readonly #parts: FileChangesParts;
  readonly #watches = new DirectoryWatches();
  readonly #files = new Map<string, Entry>();
  /** Directories that were looked into, by what identifies each. */
  readonly #directories = new Map<string, string>();
  readonly #ignored = new Set<string>();
  #first: FirstContents | undefined;
  /** Ignored paths that changed since the last look. */
  #ignoredChanges = new Map<string, ChangedFile>();

  private constructor(parts: FileChangesParts) {
    this.#parts = parts;
  }

  /** Looks at all files of a workspace, unless it has too many. Contents of larger files are not read. */
  static async open(
    workspace: string,
    { maxBytes, maxFiles, excluded = [] }: FileChangesOptions,
  ): Promise<FileChanges | undefined> {
    const repository = await gitRepository(workspace).catch(() => undefined);
    const tracked = await trackedFiles(repository);
    const changes = new FileChanges({ workspace, maxBytes, repository, tracked });
    for (const path of excluded) changes.#ignored.add(changes.#nameOf(realPathOf(path)));
    const seen = await changes.#scan('', maxFiles);
    if (seen.size > maxFiles) {
      await changes.close();
      return undefined;
    }
    for (const [path, stats] of seen) changes.#files.set(path, entryOf(stats));
    changes.#first = await FirstContents.of(workspace, changes.#files, { ...tracked, maxBytes });
    changes.#ignoredChanges.clear();
    return changes;
  }

  /**
   * Returns what changed since the last call. `isKnown` returns true for a path that the caller knew before. With
   * `walks`, it also finds what watches do not see, such as changes of memory that is mapped to a file.
   */
  async changes(isKnown: (path: string) => boolean, { walks = false } = {}): Promise<readonly ChangedFile[]> {
    const events = await this.#watches.changes();
    const paths = walks || !events ? await this.#walkedPaths() : await this.#pathsOf(events);
    const changed = await this.#examined(paths, isKnown);
    const ignored = [...this.#ignoredChanges.values()];
    this.#ignoredChanges.clear();
    return [...changed, ...ignored];
  }

  /** Returns what accepts the present state of a file that the caller reads next: what changes it later is found. */
  acceptance(path: string): () => void {
    const stats = this.#statsOf(path);
    const isThere = stats && !stats.isDirectory() && this.#directories.has(parentOf(path));
    const entry = isThere ? entryOf(stats) : undefined;
    return () => void (entry ? this.#files.set(path, entry) : this.#files.delete(path));
  }

  /** Ends the watches. */
  async close(): Promise<void> {
    await this.#watches.close();
    await this.#first?.close();
  }

  /** Returns all files below a directory, and watches what is new there. */
  async #scan(start: string, maxFiles = Infinity): Promise<ReadonlyMap<string, Stats>> {
    const seen = new Map<string, Stats>();
    let level = [start];
    for (let count = 0; level.length > 0 && seen.size <= maxFiles;) {
      const entries = new Map<string, Stats>();
      for (const directory of level) {
        this.#watch(directory);
        for (const [path, stats] of this.#entriesOf(directory)) entries.set(path, stats);
        count += 1;
        if (count % directoriesPerTurn === 0) await nextTurn();
      }
      await this.#ignoreNew([...entries.keys()]);
      level = [];
      for (const [path, stats] of entries) {
        if (this.#ignored.has(path)) continue;
        if (stats.isDirectory()) level.push(path);
        else seen.set(path, stats);
      }
    }
    return seen;
  }

  #watch(directory: string): void {
    const identity = this.#identityOf(directory);
    if (identity === undefined) return;
    const path = join(this.#parts.workspace, directory);
    if (this.#directories.get(directory) !== identity || !this.#watches.has(path)) this.#watches.add(path);
    this.#directories.set(directory, identity);
  }

  #identityOf(directory: string): string | undefined {
    const stats = this.#statsOf(directory);
    return stats?.isDirectory() ? `${stats.ino}:${stats.birthtimeMs}` : undefined;
  }

  #entriesOf(directory: string): readonly (readonly [string, Stats])[] {
    try {
      return readdirSync(join(this.#parts.workspace, directory)).flatMap((name) => {
        const path = directory === '' ? name : `${directory}/${name}`;
        const stats = isLeftOut(name) ? undefined : this.#statsOf(path);
        return stats ? [[path, stats] as const] : [];
      });
    } catch {
      // It is gone, or may not be read.
      return [];
    }
  }

  #statsOf(path: string): Stats | undefined {
    try {
      return lstatSync(join(this.#parts.workspace, path), { throwIfNoEntry: false });
    } catch {
      return undefined;
    }
  }

  /** Asks git about paths that were not there before. */
  async #ignoreNew(paths: readonly string[]): Promise<void> {
    const fresh = paths.filter((path) => !this.#files.has(path) && !this.#directories.has(path));
    const asked = fresh.filter((path) => !this.#ignored.has(path));
    for (const path of await ignoredPaths(asked, this.#parts.repository, this.#parts.tracked)) {
      this.#ignored.add(path);
      this.#reportIgnored(path, {});
    }
  }

  #reportIgnored(path: string, before: Pick<ChangedFile, 'found'>): void {
    const stats = this.#statsOf(path);
    const name = stats?.isDirectory() ? `${path}/` : path;
    const after = stats && { after: omittedVersion(modeOf(stats), 'ignored') };
    this.#ignoredChanges.set(name, { path: name, ...before, ...after });
  }

  /** Walks, and returns the paths that differ from what is known. */
  async #walkedPaths(): Promise<ReadonlySet<string>> {
    for (const directory of this.#directories.keys())
      if (this.#identityOf(directory) === undefined) this.#forget(directory);
    return this.#differing('', await this.#scan(''));
  }

  #differing(directory: string, seen: ReadonlyMap<string, Stats>): ReadonlySet<string> {
    const gone = this.#filesBelow(directory).filter((path) => !seen.has(path));
    const changed = [...seen].flatMap(([path, stats]) => {
      const { key } = entryOf(stats);
      return key === '' || this.#files.get(path)?.key !== key ? [path] : [];
    });
    return new Set([...gone, ...changed]);
  }

  /** Returns the paths that watches reported, and those below new, moved and removed directories. */
  async #pathsOf(events: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const paths = new Set<string>();
    const add = (more: Iterable<string>): void => {
      for (const path of more) paths.add(path);
    };
    const files: string[] = [];
    // A directory before what is in it.
    for (const path of [...events].map((event) => this.#nameOf(event)).toSorted()) {
      if (isLeftOut(path) || !this.#isInDirectory(path)) continue;
      if (this.#ignored.has(path)) {
        this.#reportIgnored(path, { found: omittedVersion('100644', 'ignored') });
        continue;
      }
      const identity = this.#identityOf(path);
      if (identity === undefined) {
        if (this.#directories.has(path)) add(this.#forget(path));
        files.push(path);
      } else if (path === '' || this.#directories.get(path) !== identity) {
        await this.#ignoreNew([path]);
        if (!this.#ignored.has(path)) add(this.#differing(path, await this.#scan(path)));
        paths.add(path);
      }
    }
    await this.#ignoreNew(files.filter((path) => this.#statsOf(path)));
    add(files.filter((path) => !this.#ignored.has(path)));
    return paths;
  }

  #nameOf(path: string): string {
    return relative(this.#parts.workspace, path).split(sep).join('/');
  }

  /** Reports whether a path is in a directory that was looked into, and so through no link. */
  #isInDirectory(path: string): boolean {
    return path === '' || this.#directories.has(parentOf(path));
  }

  #filesBelow(directory: string): readonly string[] {
    const start = directory === '' ? '' : `${directory}/`;
    return [...this.#files.keys()].filter((path) => path.startsWith(start));
  }

  /** Ends the watches of a directory that is gone, and returns its files. */
  #forget(directory: string): readonly string[] {
    this.#watches.remove(join(this.#parts.workspace, directory));
    for (const path of this.#directories.keys())
      if (path === directory || path.startsWith(`${directory}/`)) this.#directories.delete(path);
    return this.#filesBelow(directory);
  }

  async #examined(paths: ReadonlySet<string>, isKnown: (path: string) => boolean): Promise<readonly ChangedFile[]> {
    const unknown = [...paths].flatMap((path) => {
      const entry = isKnown(path) ? undefined : this.#files.get(path);
      return entry ? [[path, entry] as const] : [];
    });
    const contents = await this.#first?.read(new Map(unknown));
    const changed: ChangedFile[] = [];
    for (const path of paths) {
      const before = this.#files.get(path);
      const found = contents?.get(path);
      const isThere = this.#isInDirectory(path);
      const accept = this.acceptance(path);
      const after = isThere ? await readVersion(join(this.#parts.workspace, path), this.#parts.maxBytes) : undefined;
      accept();
      const isUntouched = before !== undefined && before.key !== '' && before.key === this.#files.get(path)?.key;
      const isEqual = found && (isSameVersion(found, after) || (isUntouched && found.hash === 'unknown'));
      if (isEqual || (!before && !after && !isKnown(path))) continue;
      changed.push({ path, ...(found && { found }), ...(after && { after }) });
    }
    return changed;
  }
}

/** Reports whether a path is that of a repository's own files, or of a file that is being written. */
function isLeftOut(path: string): boolean {
  return path === '.git' || path.endsWith('/.git') || isTemporaryPath(path);
}

function parentOf(path: string): string {
  const parent = dirname(path);
  return parent === '.' ? '' : parent;
}

function entryOf(stats: Stats): Entry {
  const { size, mtimeMs, ctimeMs, ino } = stats;
  const mode = modeOf(stats);
  const isRecent = ctimeMs > Date.now() - sameTimeMs;
  return { mode, size, key: isRecent ? '' : [size, mtimeMs, ctimeMs, ino, mode].join(' ') };
}
