import { join, relative, resolve, sep } from 'node:path';
import { realPathOf } from '@varve/tools';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { SettingsError } from '../error.ts';
import { readJsonFile, updateJsonFile } from '../files/update-file.ts';
import type { Configuration, ConfigurationFile, ConfigurationScope } from './configuration.ts';

const hex = lazy(() => z.string().regex(/^[0-9a-f]{64}$/));
const keptFile = lazy(() =>
  z.object({
    path: z.string(),
    target: z.string().optional(),
    is_executable: z.boolean(),
    sha256: hex(),
    /** Base64; absent for a large file, of which only a change is shown. */
    bytes: z.string().optional(),
  }),
);
const entry = lazy(() =>
  z.object({ hash: hex(), at: z.string(), files: z.array(keptFile()), digests: z.array(hex()).default([]) }),
);
const entries = lazy(() => z.record(z.string(), entry()));
const file = lazy(() => z.object({ version: z.literal(1), workspaces: entries(), users: entries().default({}) }));

type File = z.output<ReturnType<typeof file>>;

/** A directory whose configuration a person has trusted. */
export interface TrustedWorkspace extends Pick<Configuration, 'scope' | 'workspace' | 'hash'> {
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
  /** Sorted by directory, those of users last. */
  list(): Promise<readonly TrustedWorkspace[]>;
  /** Returns what was trusted in a directory; scope `project` by default. */
  find(workspace: string, scope?: ConfigurationScope): Promise<TrustedWorkspace | undefined>;
  /** Compares a configuration, and the digests of its parts, with what was trusted. */
  status(configuration: Configuration, digests?: readonly string[]): Promise<TrustStatus>;
  /**
   * Trusts exactly these bytes in this directory, in place of earlier ones. `digests` are those of its parts, such as
   * the sources of hooks, over the same bytes.
   */
  add(configuration: Configuration, digests?: readonly string[]): Promise<void>;
  /** Returns false if the directory was not trusted. */
  remove(workspace: string, scope?: ConfigurationScope): Promise<boolean>;
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
  const stored = async (scope: ConfigurationScope) => (await readJsonFile(path, file()))?.[fieldOf[scope]] ?? {};
  const update = (change: (before: File) => File) =>
    updateJsonFile(path, file(), (before) => change(before ?? { version: 1, workspaces: {}, users: {} }), options);
  const listed = async (scope: ConfigurationScope): Promise<readonly TrustedWorkspace[]> =>
    Object.entries(await stored(scope))
      .map(([workspace, record]) => trustedWorkspace(scope, workspace, record))
      .toSorted((a, b) => (a.workspace < b.workspace ? -1 : 1));
  const find: TrustStore['find'] = async (workspace, scope = 'project') => {
    const all = await stored(scope);
    const key = realPathOf(workspace);
    const record = Object.hasOwn(all, key) ? all[key] : undefined;
    return record && trustedWorkspace(scope, key, record);
  };
  return {
    list: async () => [...(await listed('project')), ...(await listed('user'))],
    find,
    async status({ scope, workspace, hash, files }, digests = []) {
      if (files.length === 0) return 'none';
      const record = await find(workspace, scope);
      if (!record) return 'untrusted';
      const isSame = record.hash === hash && digests.every((digest) => record.digests.includes(digest));
      return isSame ? 'trusted' : 'changed';
    },
    async add({ scope, workspace, hash, files }, digests = []) {
      // A workspace that contains this file could trust itself.
      if (scope === 'project' && contains(realPathOf(workspace), realPathOf(path)))
        throw new SettingsError('invalid', `The workspace ${workspace} contains varve's data directory ${home}.`);
      const added = { hash, at: new Date(now()).toISOString(), files: files.map(keptForm), digests: [...digests] };
      const field = fieldOf[scope];
      await update((before) => ({ ...before, [field]: { ...before[field], [workspace]: added } }));
    },
    async remove(workspace, scope = 'project') {
      let isRemoved = false;
      const keys = new Set([workspace, resolve(workspace), realPathOf(workspace)]);
      const field = fieldOf[scope];
      await update((before) => {
        const kept = Object.entries(before[field]).filter(([key]) => !keys.has(key));
        isRemoved = kept.length < Object.keys(before[field]).length;
        return { ...before, [field]: Object.fromEntries(kept) };
      });
      return isRemoved;
    },
  };
}

const fieldOf = { project: 'workspaces', user: 'users' } as const;

function contains(directory: string, path: string): boolean {
  const inside = relative(directory, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`);
}

function keptForm({
  path,
  target,
  isExecutable,
  sha256,
  bytes,
}: ConfigurationFile): z.output<ReturnType<typeof keptFile>> {
  return {
    path,
    ...(target !== undefined && { target }),
    is_executable: isExecutable,
    sha256,
    ...(bytes.length <= maxKept && { bytes: Buffer.from(bytes).toString('base64') }),
  };
}

function trustedWorkspace(
  scope: ConfigurationScope,
  workspace: string,
  { hash, at, files, digests }: z.output<ReturnType<typeof entry>>,
): TrustedWorkspace {
  return {
    scope,
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
