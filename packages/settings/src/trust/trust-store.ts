import { join, relative, resolve, sep } from 'node:path';
import { realPathOf } from '@varve/tools';
import * as z from 'zod';
import { SettingsError } from '../error.ts';
import { readJsonFile, updateJsonFile } from '../files/update-file.ts';
import type { Configuration, ConfigurationFile } from './configuration.ts';

const hex = z.string().regex(/^[0-9a-f]{64}$/);
const keptFile = z.object({
  path: z.string(),
  target: z.string().optional(),
  is_executable: z.boolean(),
  sha256: hex,
  /** Base64; absent for a large file, of which only a change is shown. */
  bytes: z.string().optional(),
});
const file = z.object({
  version: z.literal(1),
  workspaces: z.record(
    z.string(),
    z.object({ hash: hex, at: z.string(), files: z.array(keptFile), digests: z.array(hex).default([]) }),
  ),
});

/** A workspace whose configuration a person has trusted. */
export interface TrustedWorkspace {
  /** Absolute path with links resolved. */
  readonly workspace: string;
  readonly hash: string;
  /** Digests of parts that were trusted with it. */
  readonly digests: readonly string[];
  /** UTC time in ISO format. */
  readonly at: string;
  /** Files as they were trusted; `bytes` is empty for large ones. */
  readonly files: readonly ConfigurationFile[];
}

/** Trust in a configuration: `none` for a workspace without one, which needs no trust. */
export type TrustStatus = 'none' | 'trusted' | 'changed' | 'untrusted';

/** Configurations that a person has trusted, stored in the data directory of varve and nowhere else. */
export interface TrustStore {
  /** Sorted by workspace. */
  list(): Promise<readonly TrustedWorkspace[]>;
  /** Returns what was trusted in a workspace. */
  find(workspace: string): Promise<TrustedWorkspace | undefined>;
  status(configuration: Configuration): Promise<TrustStatus>;
  /**
   * Returns a test for what is trusted now in this workspace: the hash of its configuration, and the digests of parts
   * that were trusted with it. An option of `loadHooks`.
   */
  predicate(workspace: string): Promise<(hash: string) => boolean>;
  /**
   * Trusts exactly these bytes in this workspace, in place of earlier ones. `digests` are those of its parts, such as
   * the sources of hooks, over the same bytes.
   */
  add(configuration: Configuration, digests?: readonly string[]): Promise<void>;
  /** Returns false if the workspace was not trusted. */
  remove(workspace: string): Promise<boolean>;
}

/** Options of {@link trustStore}. */
export interface TrustStoreOptions {
  /** Data directory of varve, absolute. */
  readonly home: string;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

/** Maximum number of bytes of a file that are kept to show a change. */
const maxKept = 64 * 1024;

/** Returns the trusted configurations in a data directory. */
export function trustStore({ home, now = Date.now }: TrustStoreOptions): TrustStore {
  const path = join(home, 'trust.json');
  const options = { lockFile: join(home, 'trust.lock'), mode: 0o600 };
  const stored = async () => (await readJsonFile(path, file))?.workspaces ?? {};
  const find = async (workspace: string): Promise<TrustedWorkspace | undefined> => {
    const all = await stored();
    const key = realPathOf(workspace);
    const found = Object.hasOwn(all, key) ? all[key] : undefined;
    return found && trustedWorkspace(key, found);
  };
  return {
    list: async () =>
      Object.entries(await stored())
        .map(([workspace, one]) => trustedWorkspace(workspace, one))
        .toSorted((a, b) => (a.workspace < b.workspace ? -1 : 1)),
    find,
    async status({ workspace, hash, files }) {
      if (files.length === 0) return 'none';
      const found = await find(workspace);
      return found ? (found.hash === hash ? 'trusted' : 'changed') : 'untrusted';
    },
    async predicate(workspace) {
      const found = await find(workspace);
      const hashes = new Set(found && [found.hash, ...found.digests]);
      return (hash) => hashes.has(hash);
    },
    async add({ workspace, hash, files }, digests = []) {
      // A workspace that contains this file could trust itself.
      if (contains(realPathOf(workspace), realPathOf(path)))
        throw new SettingsError('invalid', `The workspace ${workspace} contains varve's data directory ${home}.`);
      const entry = { hash, at: new Date(now()).toISOString(), files: files.map(keptForm), digests: [...digests] };
      await updateJsonFile(
        path,
        file,
        (before) => ({ version: 1 as const, workspaces: { ...before?.workspaces, [workspace]: entry } }),
        options,
      );
    },
    async remove(workspace) {
      let isRemoved = false;
      const keys = new Set([workspace, resolve(workspace), realPathOf(workspace)]);
      await updateJsonFile(
        path,
        file,
        (before) => {
          const kept = Object.entries(before?.workspaces ?? {}).filter(([key]) => !keys.has(key));
          isRemoved = kept.length < Object.keys(before?.workspaces ?? {}).length;
          return { version: 1 as const, workspaces: Object.fromEntries(kept) };
        },
        options,
      );
      return isRemoved;
    },
  };
}

function contains(directory: string, path: string): boolean {
  const inside = relative(directory, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`);
}

function keptForm({ path, target, isExecutable, sha256, bytes }: ConfigurationFile): z.output<typeof keptFile> {
  return {
    path,
    ...(target !== undefined && { target }),
    is_executable: isExecutable,
    sha256,
    ...(bytes.length <= maxKept && { bytes: Buffer.from(bytes).toString('base64') }),
  };
}

function trustedWorkspace(
  workspace: string,
  { hash, at, files, digests }: z.output<typeof file>['workspaces'][string],
): TrustedWorkspace {
  return {
    workspace,
    hash,
    digests,
    at,
    files: files.map(({ path, target, is_executable: isExecutable, sha256, bytes = '' }) => ({
      path,
      ...(target !== undefined && { target }),
      isExecutable,
      sha256,
      bytes: new Uint8Array(Buffer.from(bytes, 'base64')),
    })),
  };
}
