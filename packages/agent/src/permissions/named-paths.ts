import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { realPathOf } from '@varve/tools';
import { globMatcher } from '@varve/tools/names';

/** A path that a call names. */
export interface NamedPath {
  /** Absolute path without `.` and `..`, as it is written. */
  readonly path: string;
  /** The same with links resolved, as far as it exists. */
  readonly real: string;
  /** True if it may stand for other paths: it contains a pattern, or a part that is only known when the call runs. */
  readonly isUncertain: boolean;
  /** False if it is too long to be compared with rules. */
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

  constructor(workspace: string) {
    this.workspace = { path: resolve(workspace), real: realPathOf(workspace), isUncertain: false, isComparable: true };
  }

  /** True if the call names more than is resolved: some links are not known. */
  get isExhausted(): boolean {
    return this.#resolved > maxResolved;
  }

  /** Returns a path relative to the workspace; `~/` is the home directory. */
  named(text: string): NamedPath {
    const known = this.#known.get(text);
    if (known) return known;
    const path = this.absolute(text);
    const isUncertain = hasPattern(text);
    const names = path.length > maxChars ? 0 : path.split(sep).length;
    // No file has a longer path, but a wildcard may become a shorter one.
    const isComparable = path.length > maxChars ? !isUncertain : names <= maxNames;
    this.#resolved += names;
    const real = isComparable && !this.isExhausted ? realPathOf(path) : path;
    const named = { path, real, isUncertain, isComparable: isComparable && !this.isExhausted };
    this.#known.set(text, named);
    return named;
  }

  /** Returns the links that a wildcard at the end of a path matches now. */
  linksOf({ path, isUncertain }: NamedPath): readonly NamedPath[] {
    const [directory, name] = [dirname(path), basename(path)];
    if (!isUncertain || !/[*?[]|[@+!]\(/.test(name) || hasPattern(directory)) return [];
    const entries = attempt(() => readdirSync(directory, { withFileTypes: true })) ?? [];
    return entries
      .filter((entry) => entry.isSymbolicLink() && mayBecome(name, entry.name))
      .slice(0, maxLinks)
      .map((entry) => ({ ...this.named(join(directory, entry.name)), isUncertain: false }));
  }

  /** Returns the absolute form of a path, with links as they are. */
  absolute(text: string): string {
    if (text === '~' || text.startsWith('~/')) return resolve(homedir(), `.${text.slice(1)}`);
    return isAbsolute(text) ? resolve(text) : resolve(this.workspace.path, text);
  }
}

/** Number of characters of a name with wildcards that are compared. No file has a longer name. */
const maxPattern = 255;
/** Maximum number of links that are resolved for one wildcard. */
const maxLinks = 200;

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** What a shell may replace, also with `extglob`: `@(a|b)`, `+(a)`, `!(a)`. */
const replaced = /[*?[\]{}$`]|[@+!]\(/;

/** Reports whether a shell may replace a part of a word. */
export function hasPattern(text: string): boolean {
  return replaced.test(text) || /^~[^/]/.test(text);
}

/** Returns the text in front of what a shell may replace. */
export function beforePattern(text: string): string {
  const at = text.search(replaced);
  return at < 0 ? text : text.slice(0, at);
}

/**
 * Reports whether a name with wildcards of a shell may become a name. What follows a brace, a substitution or
 * a bracket that is no plain class is not compared. Takes time proportional to both lengths.
 */
export function mayBecome(part: string, name: string): boolean {
  // A plain class is one character: `.[dev]` is no name with more of them.
  const short = part
    .slice(0, maxPattern)
    .replaceAll(/\*+/g, '*')
    .replaceAll(/\[[^[\]\\/]+\]/g, '?');
  const open = short.search(/[[{$`\\]|[@+!?*]?\(/);
  const isCut = open >= 0 || part.length > maxPattern;
  const pattern = isCut ? `${open < 0 ? short : short.slice(0, open)}*` : short;
  // The shell's wildcards do not match a leading dot, but one in a group does.
  if (name.startsWith('.') && /^[*?](?!\()/.test(short)) return false;
  return globMatcher(pattern.startsWith('!') ? `\\${pattern}` : pattern, { dot: true }).matches(name);
}
