import { dirname, sep } from 'node:path';
import picomatch from 'picomatch';
import { hasPattern, type NamedPath, type PathReader } from './named-paths.ts';
import type { Match } from './permission-rule.ts';

/** Pattern of a path rule, compiled for one workspace. */
interface PathPattern {
  /** Tests an absolute path, and not its parents. */
  readonly matches: (path: string) => boolean;
  /** Directory in front of the first wildcard; undefined for a file name anywhere. */
  readonly base: string | undefined;
  /** The name, if the pattern is one. */
  readonly name: string | undefined;
}

/**
 * Compares a path rule with a path and its real path. `yes` if either is, or is below, what the pattern names; `maybe`
 * if the path is a wildcard that may become it, or a directory around it.
 */
export function matchesPath(pattern: string, named: NamedPath, reader: PathReader): Match {
  const compiled = compile(pattern, reader, true);
  if ([named.path, named.real].some((path) => withParents(path).some(compiled.matches))) return 'yes';
  return [named.path, named.real].some((path) => mayContain(path, compiled, named.isUncertain)) ? 'maybe' : 'no';
}

/** Reports whether an allow rule covers a path: both its names match, in their exact case, and it is no wildcard. */
export function coversPath(pattern: string, named: NamedPath, reader: PathReader): boolean {
  if (named.isUncertain) return false;
  const compiled = compile(pattern, reader, false);
  return [named.path, named.real].every((path) => withParents(path).some(compiled.matches));
}

function compile(pattern: string, reader: PathReader, ignoreCase: boolean): PathPattern {
  const options = { dot: true, nocase: ignoreCase, posixSlashes: true };
  const text = pattern.replace(/\/+$/, '') || '/';
  if (!pattern.includes('/') && pattern !== '~') {
    const matches = picomatch(text, options);
    const name = hasPattern(text) ? undefined : text;
    return { matches: (path) => matches(path.split(sep).at(-1) ?? ''), base: undefined, name };
  }
  const { base, glob } = picomatch.scan(text.replace(/^\.\//, ''));
  const bases = [reader.absolute(base), reader.named(base || '.').real];
  const tests = bases.map((start) => {
    if (glob === '') return (path: string) => isSame(path, start, ignoreCase);
    const matches = picomatch(glob, options);
    const prefix = start.endsWith(sep) ? start : start + sep;
    return (path: string) => startsWith(path, prefix, ignoreCase) && matches(path.slice(prefix.length));
  });
  return { matches: (path) => tests.some((test) => test(path)), base: bases[0], name: undefined };
}

/** Reports whether a directory or a wildcard may stand for a path that the pattern matches. */
function mayContain(path: string, { base, name }: PathPattern, isUncertain: boolean): boolean {
  if (base !== undefined && isUncertain) {
    const start = path.slice(0, path.search(/[*?[\]{}$`]/)).replace(/[^/]*$/, '');
    return startsWith(base + sep, start, true) || startsWith(start, base + sep, true);
  }
  if (base !== undefined) return startsWith(base, path === sep ? path : path + sep, true);
  if (!isUncertain) return false;
  return path.split(sep).some((part) => hasPattern(part) && mayBe(part, name));
}

function mayBe(part: string, name: string | undefined): boolean {
  if (name === undefined || /[$`{]/.test(part)) return true;
  // The shell's wildcards do not match a leading dot.
  return picomatch(part, { dot: part.startsWith('.'), nocase: true })(name);
}

function withParents(path: string): readonly string[] {
  const paths = [path];
  for (let one = dirname(path); one !== paths.at(-1); one = dirname(one)) paths.push(one);
  return paths;
}

function isSame(a: string, b: string, ignoreCase: boolean): boolean {
  return ignoreCase ? a.toLowerCase() === b.toLowerCase() : a === b;
}

function startsWith(text: string, start: string, ignoreCase: boolean): boolean {
  return isSame(text.slice(0, start.length), start, ignoreCase);
}
