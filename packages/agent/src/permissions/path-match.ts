import { dirname, sep } from 'node:path';
import picomatch from 'picomatch';
import { globMatcher } from '@varve/tools/names';
import { beforePattern, hasPattern, maxChars, mayBecome, type NamedPath, type PathReader } from './named-paths.ts';
import type { Match } from './permission-rule.ts';

/** Pattern of a path rule, compiled for one workspace. */
interface PathPattern {
  /** Tests an absolute path, and not its parents. */
  readonly matches: (path: string) => boolean;
  /** Directory in front of the first wildcard; undefined for a file name anywhere. */
  readonly base: string | undefined;
  /** Beginning of the paths below it. */
  readonly inside: string | undefined;
  /** The name, if the pattern is one. */
  readonly name: string | undefined;
}

/**
 * Returns a comparison of a path rule with paths and their real paths. `yes` if either is, or is below, what the
 * pattern names; `maybe` if the path is a wildcard that may become it, a directory around it, or too long to compare.
 */
export function pathRule(pattern: string, reader: PathReader): (named: NamedPath) => Match {
  const compiled = compile(pattern, reader, true);
  return ({ path, real, isUncertain, isComparable }) => {
    if (path.length > maxChars) return isUncertain ? 'maybe' : 'no';
    if (!isComparable) return 'maybe';
    if ([path, real].some((one) => withParents(one).some(compiled.matches))) return 'yes';
    return [path, real].some((one) => mayContain(one, compiled, isUncertain)) ? 'maybe' : 'no';
  };
}

/** Reports whether an allow rule covers a path: both its names match, in their exact case, and it is no wildcard. */
export function coversPath(pattern: string, named: NamedPath, reader: PathReader): boolean {
  if (named.isUncertain || !named.isComparable || named.path.length > maxChars) return false;
  const compiled = compile(pattern, reader, false);
  return [named.path, named.real].every((path) => withParents(path).some(compiled.matches));
}

function compile(pattern: string, reader: PathReader, ignoreCase: boolean): PathPattern {
  const text = pattern.replace(/(?<!\/)\/+$/, '') || '/';
  if (!pattern.includes('/') && pattern !== '~') {
    const matches = matcher(text, ignoreCase);
    const name = hasPattern(text) ? undefined : text;
    return { matches: (path) => matches(path.split(sep).at(-1) ?? ''), base: undefined, inside: undefined, name };
  }
  const { base, glob } = picomatch.scan(text.replace(/^\.\//, ''));
  const bases = [reader.absolute(base), reader.named(base || '.').real];
  const tests = bases.map((start) => {
    if (glob === '') return (path: string) => isSame(path, start, ignoreCase);
    const matches = matcher(glob, ignoreCase);
    const prefix = start.endsWith(sep) ? start : start + sep;
    return (path: string) => startsWith(path, prefix, ignoreCase) && matches(path.slice(prefix.length));
  });
  // The directory in front of a wildcard is around the named files; the workspace is not, as for a name anywhere.
  const inside = base === '' ? bases[0] : `${bases[0]}${sep}`;
  return { matches: (path) => tests.some((test) => test(path)), base: bases[0], inside, name: undefined };
}

/** Compiles the glob of a person for the paths of a model: no pair of them takes more than proportional time. */
function matcher(glob: string, ignoreCase: boolean): (path: string) => boolean {
  const { matches } = globMatcher(ignoreCase ? glob.toLowerCase() : glob, { dot: true });
  return ignoreCase ? (path) => matches(path.toLowerCase()) : matches;
}

/** Reports whether a directory or a wildcard may stand for a path that the pattern matches. */
function mayContain(path: string, { base, inside, name }: PathPattern, isUncertain: boolean): boolean {
  if (base !== undefined && isUncertain) {
    const known = beforePattern(path);
    // Of `~name/x` the directory is not known.
    if (known === path) return true;
    const start = known.replace(/(?<![^/])[^/]*$/, '');
    if (startsWith(start, base + sep, true)) return true;
    return startsWith(base + sep, start, true) && mayLeadTo(path.slice(start.length), base.slice(start.length));
  }
  if (inside !== undefined) return startsWith(inside, path === sep ? path : path + sep, true);
  if (!isUncertain) return false;
  return path.split(sep).some((part) => hasPattern(part) && mayBe(part, name));
}

/** Reports whether what follows a directory may be a name on the way to a file below it. */
function mayLeadTo(rest: string, target: string): boolean {
  const [name = ''] = target.split(sep);
  // What a variable or a group becomes may contain separators. A link that wildcards match is compared by itself.
  const isOneName = !/[/\\$`{(]/.test(rest);
  // With `dotglob` a wildcard matches a leading dot.
  const isHidden = name.startsWith('.') && hasPattern(rest.slice(0, 1));
  return !isOneName || name === '' || isHidden || mayBe(rest, name);
}

function mayBe(part: string, name: string | undefined): boolean {
  if (name === undefined || /[$`{]/.test(part)) return true;
  return mayBecome(part.toLowerCase(), name.toLowerCase());
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
