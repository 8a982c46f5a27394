/** Kind of place that a path leads to. `workspace` includes relative paths that stay below the start directory. */
export type Place = 'workspace' | 'temporary' | 'home' | 'device' | 'system' | 'outside';

/** Base of relative paths, and the workspace. */
export interface PathContext {
  /** Directories that the script changes to, as far as they are known, absolute or relative to the first one. */
  readonly directories: ReadonlySet<string>;
  /** Absolute path of the workspace, if it is known. */
  readonly workspace?: string;
}

const temporary = /^(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm)\/./;
const harmlessDevice = /^\/dev\/(?:null|std(?:in|out|err)|fd\/\d+|tty|zero|full|u?random)$/;
const system =
  /^(?:\/private)?\/(?:etc|usr|bin|sbin|lib\w*|boot|sys|proc|root|opt|var|srv|run|system|library|applications)(?:\/|$)/i;
/** A pattern in the first directory of a path can match any directory. */
const unclear = /^\/[^/]*[*?[{]/;

/** A directory of the system, or one that contains the files of a person. */
export const systemPath =
  /^\/(?:etc|usr|bin|sbin|lib|lib64|boot|sys|proc)(?:[/*{]|$)|^(?:\/(?:var|root|home)?|~)\/?(?:\*?$|\{)|^\/home\/[^/{]*(?:\{|$|\/(?:\*?$|\{))/;

/**
 * Returns the normal form of a path, as `posix.normalize`, in time proportional to its length: for `../../…` of 200,000
 * characters that takes 3 s, and 17 s for twice as many.
 */
export function normalPath(path: string): string {
  const isAbsolute = path.startsWith('/');
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    const isBack = part === '..';
    if (isBack && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!isBack || !isAbsolute) kept.push(part);
  }
  if (kept.length === 0) return isAbsolute ? '/' : path.endsWith('/') ? './' : '.';
  return `${isAbsolute ? '/' : ''}${kept.join('/')}${path.endsWith('/') ? '/' : ''}`;
}

/** Returns the places where a path may be, for each directory in which the command may run. */
export function placesOf(path: string, context: PathContext): readonly Place[] {
  return [...new Set(locationsOf(path, context).map((one) => placeOf(one, context.workspace)))];
}

/** Returns the normal form of a path, for each directory in which the command may run. */
export function locationsOf(file: string, { directories }: PathContext): readonly string[] {
  const path = withoutAliases(file);
  const normal = normalPath(path);
  if (/^[~/]/.test(normal)) return [normal];
  return [normal, ...[...directories].map((directory) => resolved(directory, path))];
}

/**
 * Returns a path with `..` as it is written, for each directory in which the command may run: after a link, `..` is the
 * directory around its target. Empty for other paths.
 */
export function unresolvedLocationsOf(file: string, { directories }: PathContext): readonly string[] {
  if (!/(?:^|\/)\.\.(?:\/|$)/.test(file)) return [];
  return /^[~/]/.test(file) ? [file] : [file, ...[...directories].map((directory) => `${directory}/${file}`)];
}

/** Replaces names of the current directory and of the root: `/proc/self/cwd`, `/proc/1/root`, `~+`. */
function withoutAliases(path: string): string {
  return path
    .replace(/^\/+proc\/+[^/]+\/+cwd(?=\/|$)|^~\+(?=\/|$)/, '.')
    .replace(/^\/+proc\/+[^/]+\/+root(?=\/|$)/, '/');
}

/** Returns a path that is relative to a directory. */
export function resolved(directory: string, path: string): string {
  return /^[~/]/.test(path) ? path : normalPath(`${directory}/${path}`);
}

function placeOf(path: string, workspace: string | undefined): Place {
  const normal = normalPath(path);
  if (workspace !== undefined && normal.startsWith(`${workspace.replace(/\/$/, '')}/`)) return 'workspace';
  if (normal.startsWith('~')) return 'home';
  if (!normal.startsWith('/')) return /^\.\.(?:\/|$)/.test(normal) ? 'outside' : 'workspace';
  if (temporary.test(normal)) return 'temporary';
  if (harmlessDevice.test(normal)) return 'temporary';
  if (normal.startsWith('/dev/')) return 'device';
  return system.test(normal) || unclear.test(normal) || normal === '/' ? 'system' : 'outside';
}
