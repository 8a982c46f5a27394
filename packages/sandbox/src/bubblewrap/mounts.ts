import { lstatSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { isWithin } from '../policy/paths.ts';
import { realPath } from '../policy/real-path.ts';
import type { SandboxPolicy } from '../policy/sandbox-policy.ts';

/** Access to a path and to everything below it, up to a longer path of the list. */
export interface Mount {
  /** Path without links. */
  readonly path: string;
  readonly access: 'writable' | 'read-only' | 'hidden';
  /** Kind of what is there; `nothing` has to be created so that nothing else can be. */
  readonly kind: 'directory' | 'file' | 'nothing';
}

/**
 * Returns the mounts of a policy, the shortest path first: a later one covers a part of an earlier one. Paths that do
 * not exist are left out, unless they are read-only and could be created inside of a writable one.
 */
export function mountsOf(policy: SandboxPolicy): readonly Mount[] {
  // The last access to a path decides.
  const byPath = new Map<string, Mount>();
  const add = (paths: readonly string[] | undefined, access: Mount['access']): readonly Mount[] =>
    (paths ?? []).map((path) => {
      const mount = { ...mountOf(access === 'writable' ? path : reachable(path)), access };
      byPath.set(mount.path, mount);
      return mount;
    });
  add(policy.writable, 'writable');
  add(policy.inPlace, 'read-only');
  const fixed = [...add(policy.readOnly, 'read-only'), ...add(policy.hidden, 'hidden')];
  add(policy.denied, 'hidden');
  const named = sorted(byPath.values());
  const all = sorted([...named, ...fixed.flatMap((mount) => directoriesAbove(mount, named))]);
  return all.filter(({ path, access, kind }) =>
    kind === 'nothing' ? access === 'read-only' && isWritable(dirname(path), all) : true,
  );
}

function sorted(mounts: Iterable<Mount>): readonly Mount[] {
  const byPath = new Map([...mounts].map((mount) => [mount.path, mount]));
  return [...byPath.values()].toSorted((a, b) => a.path.length - b.path.length);
}

/**
 * Returns the directories between a protected path and the writable one around it, each as a mount: one that only
 * contains a mount could be renamed, and another one created in its place.
 */
function directoriesAbove({ path, access }: Mount, named: readonly Mount[]): readonly Mount[] {
  if (access === 'writable') return [];
  const above = dirname(path);
  const nearest = accessTo(above, named);
  if (nearest?.access !== 'writable' || nearest.path === above || mountOf(above).kind !== 'directory') return [];
  const mount: Mount = { path: above, access: 'writable', kind: 'directory' };
  return [mount, ...directoriesAbove({ ...mount, access: 'read-only' }, named)];
}

/** Returns true if files can be created in a directory, which has to exist. */
function isWritable(directory: string, all: readonly Mount[]): boolean {
  const nearest = accessTo(directory, all);
  return nearest?.access === 'writable' && mountOf(directory).kind === 'directory';
}

/** Returns the mount that decides about a path; undefined where the policy names none, which is read-only. */
export function accessTo(path: string, mounts: readonly Mount[]): Mount | undefined {
  return mounts.findLast((mount) => isWithin(path, mount.path));
}

function mountOf(path: string): Pick<Mount, 'path' | 'kind'> {
  const real = realPath(path);
  const stats = statsOf(real);
  return { path: real, kind: !stats ? 'nothing' : stats.isDirectory() ? 'directory' : 'file' };
}

/**
 * Returns a path, or the directory above it that this user may not search, such as `/root`: nothing can be mounted in
 * one, and its owner could allow the search later.
 */
function reachable(path: string): string {
  const real = realPath(path);
  return statsOf(real) === null ? reachable(dirname(real)) : path;
}

/** Returns the stats of a path without links; `undefined` if nothing is there, and null if that cannot be known. */
function statsOf(path: string): Stats | null | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return null;
  }
}
