import picomatch from 'picomatch';

/** Says which paths a glob pattern means. */
export interface PathFilter {
  /** Whether a path, relative to the search with `/` between names, matches. */
  readonly matches: (path: string) => boolean;
  /** Whether the pattern names hidden files or directories, which are left out otherwise. */
  readonly isHidden: boolean;
}

/**
 * A glob as `.gitignore` and ripgrep mean it: a pattern without a slash matches names at any depth, one with a slash matches
 * whole paths from where the search starts. `{a,b}`, `[a-z]`, `**` and a leading `./` or `/` work. Empty: everything.
 */
export function pathFilter(pattern: string): PathFilter {
  const plain = pattern.trim().replace(/^\.?\/+/, '') || '**';
  const anchored = plain.endsWith('/') ? `${plain}**` : plain;
  const isHidden = /(?:^|\/|[{,])\.[^./]/.test(anchored);
  const matches = picomatch(anchored, { dot: isHidden, basename: !anchored.includes('/'), flags: 's' });
  return { matches: (path) => matches(path), isHidden };
}
