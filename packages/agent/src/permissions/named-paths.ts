import { readdirSync, type Dirent } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';
import { realPathOf } from '@varve/tools';
import { isOpen, kindOf, mayBeSame, type PathName, type TextKind } from './path-names.ts';

/** A path that a call names. */
export interface NamedPath {
  /** Absolute path without `.` and `..`, as it is written. */
  readonly path: string;
  /** The same with links resolved, as far as it exists. */
  readonly real: string;
  /** `name` for exactly this path; others may become other paths. */
  readonly kind: TextKind;
  /** False if it is too long to be compared with rules, or contains `..` after a wildcard. */
  readonly isComparable: boolean;
}

/** Longest path of a system, in characters. */
export const maxChars = 4096;
/** Most names in a path that are compared. */
const maxNames = 128;
/** Number of names in all paths of a call whose links are resolved. */
const maxResolved = 20_000;

/** Resolves what a call names. Reads links from the file system, so that a rule holds for both names of a file. */
export class PathReader {
  readonly workspace: NamedPath;
  readonly #known = new Map<string, NamedPath>();
  #resolved = 0;
  #compared = 0;

  constructor(workspace: string) {
    this.workspace = { path: resolve(workspace), real: realPathOf(workspace), kind: 'name', isComparable: true };
  }

  /** True if the call names more than is resolved: some links are not known. */
  get isExhausted(): boolean {
    return this.#resolved > maxResolved;
  }

  /**
   * Returns a path relative to the workspace; `~/` is the home directory. Of a known word, only wildcards may become
   * other text.
   */
  named(text: string, most: Exclude<TextKind, 'name'> = 'unseen'): NamedPath {
    const key = `${most} ${text}`;
    const known = this.#known.get(key);
    if (known) return known;
    const path = this.absolute(text);
    const kind = kindOf(text, most);
    const names = path.length > maxChars ? 0 : path.split(sep).length;
    // No file has a longer path, but a wildcard may become a shorter one.
    const isShort = path.length > maxChars ? kind === 'name' : names <= maxNames;
    const isComparable = isShort && !(kind !== 'name' && leavesWildcard(text));
    this.#resolved += names;
    const real = isComparable && !this.isExhausted ? this.#realPath(text, path) : path;
    const named = { path, real, kind, isComparable: isComparable && !this.isExhausted };
    this.#known.set(key, named);
    return named;
  }

  /** Returns a path with links resolved: after a link, `..` is the directory around its target. */
  #realPath(text: string, path: string): string {
    if (!/(?:^|\/)\.\.(?:\/|$)/.test(text)) return realPathOf(path);
    const full = text.startsWith('~/') ? homedir() + text.slice(1) : text;
    const names = full.split(/[\\/]/).slice(0, maxNames);
    this.#resolved += names.length;
    const start = isAbsolute(full) ? parse(path).root : this.workspace.real;
    return names.reduce((real, name) => (name === '..' ? dirname(real) : realPathOf(join(real, name))), start);
  }

  /** Returns the paths through links that the wildcards of a path match now. */
  linksOf(named: NamedPath): readonly NamedPath[] {
    const { real: path, kind, isComparable } = named;
    if (kind === 'name' || !isComparable) return [];
    const found: NamedPath[] = [];
    const all = path.split(sep);
    // With `globstar`, `**` may be no name.
    const short = all.filter((text) => text !== '**');
    const open = [all, ...(short.length < all.length ? [short] : [])].map((names) => ({
      names,
      at: nextWildcard(names, 0, kind),
    }));
    for (let next = open.pop(); next; next = open.pop()) {
      const { names, at } = next;
      const text = names[at] ?? '';
      if (at >= names.length || isOpen({ text, kind })) continue;
      for (const entry of entriesOf(names.slice(0, at).join(sep) || sep)) {
        this.#compared += text.length;
        const isPassed = entry.isSymbolicLink() || (entry.isDirectory() && at < names.length - 1);
        if (!isPassed || !mayBeEntry({ text, kind }, entry.name)) continue;
        // It is compared with its parents.
        this.#compared += resolving + (names.length * path.length) / 64;
        if (this.#compared > maxCompared) return [...found, { ...named, isComparable: false }];
        const passed = names.with(at, entry.name);
        const end = nextWildcard(passed, at + 1, kind);
        const known = passed.slice(0, end).join(sep);
        if (realPathOf(known) !== known) found.push(this.named(passed.join(sep), 'wildcards'));
        if (end < passed.length) open.push({ names: passed, at: end });
      }
    }
    return found;
  }

  /** Returns the absolute form of a path, with links as they are. */
  absolute(text: string): string {
    if (text === '~' || text.startsWith('~/')) return resolve(homedir(), `.${text.slice(1)}`);
    return isAbsolute(text) ? resolve(text) : resolve(this.workspace.path, text);
  }
}

/** Reports whether `..` follows a wildcard, which may be a link to any directory: `[ab]/../x`. */
function leavesWildcard(text: string): boolean {
  const at = text.search(/[*?[({]/);
  return at >= 0 && /\/\.\.(?:\/|$)/.test(text.slice(at));
}

/** Number of characters of wildcards that are compared with entries of directories for one call. */
const maxCompared = 40_000;
/** Number of such characters that take as much time as a path that is resolved. */
const resolving = 20;

/** Returns the index of the next name with wildcards; the number of names without one. */
function nextWildcard(names: readonly string[], from: number, kind: TextKind): number {
  const at = names.findIndex((text, index) => index >= from && kind !== 'name' && kindOf(text, kind) !== 'name');
  return at < 0 ? names.length : at;
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** With `dotglob` a wildcard matches a leading dot, and with `nocaseglob` other letters. */
function mayBeEntry({ text, kind }: PathName, entry: string): boolean {
  return mayBeSame({ text: text.toLowerCase(), kind }, { text: entry.toLowerCase(), kind: 'name' }, true);
}

/** What a shell may replace, also with `extglob`: `@(a|b)`, `+(a)`, `!(a)`. */
const replaced = /[*?[\]{}$`]|[@+!]\(/;

/** Reports whether a shell may replace a part of a word. */
export function hasPattern(text: string): boolean {
  return replaced.test(text) || /^~[^/]/.test(text);
}
