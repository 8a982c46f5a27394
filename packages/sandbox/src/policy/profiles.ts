import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { findBelow, packageNames } from './find-below.ts';
import { executedBelow, gitPaths } from './git-paths.ts';
import {
  below,
  cachePaths,
  cachesByFile,
  createdNames,
  credentialPaths,
  executedNames,
  isWithin,
  requiredDirectories,
  startupFiles,
  systemCredentials,
} from './paths.ts';
import { privatePlaces } from './private-places.ts';
import type { SandboxPolicy } from './sandbox-policy.ts';

const protectedNames: ReadonlySet<string> = new Set(executedNames);

/** Options of {@link profilePolicy}. */
export interface ProfileOptions {
  /** Directory in which the agent works. */
  readonly workspace: string;
  readonly home: string;
  /** Directories with data of the agent itself. */
  readonly dataDirectories?: readonly string[];
  /** Temporary directories. Default: those of this machine. */
  readonly temporary?: readonly string[];
  readonly network?: SandboxPolicy['network'];
  /** Further hidden paths, which rules deny. */
  readonly denied?: readonly string[];
  /** Paths of the home directory that would be hidden, which rules allow. */
  readonly visible?: readonly string[];
}

/** Returns the policy of a profile. Creates directories of the home directory that most programs need. */
export function profilePolicy(profile: 'read-only' | 'workspace', options: ProfileOptions): SandboxPolicy {
  const { workspace, home, dataDirectories = [], network = 'off', denied = [], visible = [] } = options;
  const { temporary = [...new Set(['/tmp', '/var/tmp', tmpdir()])] } = options;
  const git = gitPaths(workspace);
  const writes = profile === 'workspace';
  const executed = executedPaths(workspace);
  // Names of a project that is the home directory, such as `.github`, are not private.
  const places = isWithin(home, workspace) ? undefined : privatePlaces(home, [workspace, ...git.writable], visible);
  const names = existsSync(workspace) ? readdirSync(workspace) : [];
  if (writes) createDirectories(home, names);
  return {
    profile,
    writable: [...temporary, ...(writes ? [workspace, ...git.writable, ...below(home, cachePaths)] : [])],
    readOnly: [
      // Both may be inside of a writable directory, such as the temporary one.
      ...(workspace === home && writes ? [] : [home]),
      ...(places?.visible ?? []),
      ...(writes ? [] : [workspace]),
      ...git.executed,
      ...executed.repositories,
      // What does not exist could be created, except in a workspace without files, as `git clone URL .` needs it.
      ...(existsSync(workspace) && names.length === 0 ? [] : below(workspace, createdNames)),
      ...(writes ? startedFromCache(home) : []),
      ...(workspace === home ? below(home, startupFiles) : []),
    ],
    inPlace: executed.names,
    hidden: [
      ...below(home, credentialPaths).filter((path) => !visible.includes(path)),
      ...(places?.hidden ?? []),
      ...dataDirectories,
      ...systemCredentials,
      join('/root', '.ssh'),
    ],
    denied,
    network,
  };
}

/** Returns what agents, editors and git execute below a workspace, apart from its own repository. */
function executedPaths(workspace: string): {
  readonly repositories: readonly string[];
  readonly names: readonly string[];
} {
  const found = findBelow(workspace, (name) => name === '.git' || protectedNames.has(name));
  const isPackage = (path: string): boolean =>
    relative(workspace, path)
      .split(sep)
      .some((part) => packageNames.has(part));
  return {
    repositories: executedBelow(found.filter((path) => isEntry(path) && dirname(path) !== workspace)),
    names: found.filter((path) => !isEntry(path) && !isPackage(path)),
  };
}

function isEntry(path: string): boolean {
  return basename(path) === '.git';
}

/** Returns what shells start from the cache: prompts of zsh are files there, those of package managers directories. */
function startedFromCache(home: string): readonly string[] {
  const cache = join(home, '.cache');
  const entries = existsSync(cache) ? readdirSync(cache, { withFileTypes: true }) : [];
  const started = entries.filter((entry) => !entry.isDirectory() || entry.name === 'gitstatus');
  return below(
    cache,
    started.map(({ name }) => name),
  );
}

function createDirectories(home: string, names: readonly string[]): void {
  const caches = cachesByFile.flatMap(([file, paths]) => (names.some((name) => file.test(name)) ? paths : []));
  for (const path of below(home, [...requiredDirectories, ...caches.flatMap((cache) => [dirname(cache), cache])])) {
    try {
      mkdirSync(path);
    } catch {
      // It exists, or the home directory cannot be written.
    }
  }
}
