import { globMatcher } from '@varve/text';

/** Filter of paths by a glob pattern. */
export interface PathFilter {
  /** Returns true for a matching path, which is relative to the search and has `/` between names. */
  readonly matches: (path: string) => boolean;
  /** Maximum number of steps for one character of a path. */
  readonly size: number;
  /** True if the pattern names hidden files or directories, which are omitted otherwise. */
  readonly isHidden: boolean;
}

/** Maximum length of a glob pattern. */
export const maxGlobChars = 1000;

/**
 * Returns the filter of a glob in the syntax of `.gitignore` and ripgrep: a pattern without a slash matches names at
 * any depth, one with a slash matches whole paths relative to the search. `{a,b}`, `[a-z]`, `**` and a leading `./` or
 * `/` are supported. An empty pattern matches everything.
 */
export function pathFilter(pattern: string): PathFilter {
  const plain = pattern.trim().replace(/^\.?\/+/, '') || '**';
  const anchored = plain.endsWith('/') ? `${plain}**` : plain;
  const isHidden = /(?:^|\/|[{,])\.[^./]/.test(anchored);
  const { matches, size } = globMatcher(anchored, { dot: isHidden });
  const isName = !anchored.includes('/');
  return { matches: (path) => matches(isName ? path.slice(path.lastIndexOf('/') + 1) : path), size, isHidden };
}
