import { dirname, sep } from 'node:path';
import { globMatcher, splitGlob } from '@varve/text';
import { isBelow, namedPath, type NamedPath } from '../commands/named-path.ts';

/** Compares a path. */
type PathTest = (named: NamedPath) => boolean;

/**
 * Returns a test of whether a path, as it is or with links resolved, is what a pattern names or is below it, in upper
 * or lower case.
 */
export function matchesPath(pattern: string, workspace: string): PathTest {
  const matches = compile(pattern, workspace, true);
  return ({ path, real }) => [path, real].some((name) => withParents(name).some(matches));
}

/** Returns a test of whether an allow rule covers a path: both its names match, in their exact case. */
export function coversPath(pattern: string, workspace: string): PathTest {
  const matches = compile(pattern, workspace, false);
  return ({ path, real }) => [path, real].every((name) => withParents(name).some(matches));
}

/** Returns a test of whether a path other than the workspace is a directory around what a pattern names. */
export function containsPath(pattern: string, workspace: string): PathTest {
  if (!pattern.includes('/')) return () => false;
  const { base } = splitGlob(pattern.replace(/^\.\//, ''));
  const { path: written, real } = namedPath(base || '.', workspace);
  return (named) =>
    named.path !== workspace &&
    [named.path, named.real].some((around) => [written, real].some((place) => isBelow(place, around)));
}

/** Compiles a pattern: without a slash it is a file name anywhere. */
function compile(pattern: string, workspace: string, ignoreCase: boolean): (path: string) => boolean {
  const plain = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const text = pattern.replace(/(?<!\/)\/+$/, '') || '/';
  if (!pattern.includes('/') && pattern !== '~') {
    const { matches } = globMatcher(plain(text), { dot: true });
    return (path) => matches(plain(path.split(sep).at(-1) ?? ''));
  }
  const { base, glob } = splitGlob(text.replace(/^\.\//, ''));
  const { path: written, real } = namedPath(base || '.', workspace);
  const starts = [written, real].map(plain);
  if (glob === '') return (path) => starts.includes(plain(path));
  const { matches } = globMatcher(plain(glob), { dot: true });
  return (path) =>
    starts.some((start) => {
      const prefix = start.endsWith(sep) ? start : start + sep;
      return plain(path).startsWith(prefix) && matches(plain(path).slice(prefix.length));
    });
}

function withParents(path: string): readonly string[] {
  const paths = [path];
  for (let parent = dirname(path); parent !== paths.at(-1); parent = dirname(parent)) paths.push(parent);
  return paths;
}
