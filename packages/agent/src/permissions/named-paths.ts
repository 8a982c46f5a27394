import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import picomatch from 'picomatch';
import { realPathOf } from '@varve/tools';

/** A path that a call names. */
export interface NamedPath {
  /** Absolute path without `.` and `..`, as it is written. */
  readonly path: string;
  /** The same with links resolved, as far as it exists. */
  readonly real: string;
  /** True if it may stand for other paths: it contains a pattern, or a part that is only known when the call runs. */
  readonly isUncertain: boolean;
}

/** Resolves what a call names. Reads links from the file system, so that a rule holds for both names of a file. */
export class PathReader {
  readonly workspace: NamedPath;
  readonly #known = new Map<string, NamedPath>();

  constructor(workspace: string) {
    this.workspace = { path: resolve(workspace), real: realPathOf(workspace), isUncertain: false };
  }

  /** Returns a path relative to the workspace; `~/` is the home directory. */
  named(text: string): NamedPath {
    const known = this.#known.get(text);
    if (known) return known;
    const path = this.absolute(text);
    const named = { path, real: realPathOf(path), isUncertain: hasPattern(text) };
    this.#known.set(text, named);
    return named;
  }

  /** Returns the links that a wildcard at the end of a path matches now. */
  linksOf({ path, isUncertain }: NamedPath): readonly NamedPath[] {
    const [directory, name] = [dirname(path), basename(path)];
    if (!isUncertain || !/[*?[]/.test(name) || hasPattern(directory)) return [];
    const matches = picomatch(name, { dot: name.startsWith('.') });
    const entries = attempt(() => readdirSync(directory, { withFileTypes: true })) ?? [];
    return entries
      .filter((entry) => entry.isSymbolicLink() && matches(entry.name))
      .slice(0, maxLinks)
      .map((entry) => ({ ...this.named(join(directory, entry.name)), isUncertain: false }));
  }

  /** Returns the absolute form of a path, with links as they are. */
  absolute(text: string): string {
    if (text === '~' || text.startsWith('~/')) return resolve(homedir(), `.${text.slice(1)}`);
    return isAbsolute(text) ? resolve(text) : resolve(this.workspace.path, text);
  }
}

/** Maximum number of links that are resolved for one wildcard. */
const maxLinks = 200;

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Reports whether a shell may replace a part of a word. */
export function hasPattern(text: string): boolean {
  return /[*?[\]{}$`]/.test(text) || /^~[^/]/.test(text);
}
