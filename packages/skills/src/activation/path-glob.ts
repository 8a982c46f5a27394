import { globMatcher } from '@varve/text';

/** Characters of a path; no system has longer ones. */
const maxPath = 4096;

/**
 * Reports whether a pattern of a path rule names a path or a directory around it, as in `.gitignore`. A pattern without
 * a slash names files anywhere. Both are relative to the workspace, with `/`.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  if (path.length > maxPath) return false;
  const text = pattern.replace(/(?<!\/)\/+$/, '');
  const glob = text.includes('/') ? text.replace(/^\/+/, '') : `**/${text}`;
  return globMatcher(glob, { dot: true }).covers(path);
}
