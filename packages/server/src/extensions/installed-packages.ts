import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectories, writeAtomically } from '@varve/files';
import { parseJson } from '@varve/text';
import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { RequestError } from '../error.ts';
import { fetchPackage, type FetchOptions, type PackageSource } from './fetch-package.ts';
import { sourceAddress } from './source-address.ts';
import type { PackageKind } from './package-kind.ts';

/** Record of an installed package. @see agent-server 1.43.1 OpenAPI, InstalledSkillResponse */
const installedRecord = lazy(() =>
  z.object({
    name: z.string(),
    version: z.string(),
    description: z.string(),
    source: z.string(),
    ref: z.string().nullable(),
    resolved_ref: z.string().nullable(),
    repo_path: z.string().nullable(),
    installed_at: z.string(),
  }),
);
type InstalledRecord = z.output<ReturnType<typeof installedRecord>>;

/** An installed package. */
export interface InstalledPackage extends Omit<InstalledRecord, 'ref'> {
  readonly enabled: boolean;
  readonly install_path: string;
}

/** Options of {@link installedPackages}. */
export interface InstalledPackagesOptions extends Omit<FetchOptions, 'signal'> {
  readonly kind: PackageKind;
  /** Directory with one directory per package. */
  readonly directory: string;
  /** Directory with the records of packages. */
  readonly records: string;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Returns names of packages that are not used. */
  readonly disabled: () => Promise<readonly string[]>;
  /** Makes a package used, or not. */
  readonly setEnabled: (name: string, enabled: boolean) => Promise<void>;
}

/** Packages of one kind that clients install. */
export interface InstalledPackages {
  list(): Promise<readonly InstalledPackage[]>;
  /** @throws {RequestError} `unknown`. */
  read(name: string): Promise<InstalledPackage>;
  /**
   * Installs a package; `force` replaces one of its name.
   *
   * @throws {RequestError} `unsupported` if it cannot be fetched, `conflict` if it exists, `invalid` for its content.
   */
  install(from: PackageSource & { readonly force: boolean }, signal: AbortSignal): Promise<InstalledPackage>;
  /** @throws {RequestError} `unknown`. */
  enable(name: string, enabled: boolean): Promise<void>;
  /** Removes a package. @throws {RequestError} `unknown`. */
  remove(name: string): Promise<void>;
  /** Installs a package again from its source. @throws {RequestError} as `install`; `unknown`. */
  refresh(name: string, signal: AbortSignal): Promise<InstalledPackage>;
}

/** Opens the installed packages of a kind. Only those with a record are changed: others were put there by a person. */
export function installedPackages(options: InstalledPackagesOptions): InstalledPackages {
  const { kind, directory, records } = options;
  const own = installedRecords(records, kind.label);
  const listed = async ({ ref: _ref, ...record }: InstalledRecord): Promise<InstalledPackage> => {
    const enabled = !(await options.disabled()).includes(record.name);
    return { ...record, enabled, install_path: join(directory, record.name) };
  };
  const install: InstalledPackages['install'] = async (from, signal) => {
    const record = await installPackage(from, { ...options, signal, find: own.find });
    await own.write(record);
    return listed(record);
  };
  return {
    async list() {
      const installed = await Promise.all((await own.names()).map((name) => own.find(name)));
      return Promise.all(installed.flatMap((record) => (record ? [listed(record)] : [])));
    },
    read: async (name) => listed(await own.stored(name)),
    install,
    async enable(name, enabled) {
      await own.stored(name);
      await options.setEnabled(name, enabled);
    },
    async remove(name) {
      await own.stored(name);
      await rm(join(directory, name), { recursive: true, force: true });
      await own.remove(name);
      await options.setEnabled(name, true);
    },
    async refresh(name, signal) {
      const { source, ref, repo_path } = await own.stored(name);
      const from = { source, force: true, ref: ref ?? undefined, repo_path: repo_path ?? undefined };
      return install(from, signal);
    },
  };
}

/** Returns the records in a directory, one file for each package. */
function installedRecords(directory: string, label: string) {
  const pathOf = (name: string): string => join(directory, `${name}.json`);
  const find = async (name: string): Promise<InstalledRecord | undefined> => {
    const text = await readFile(pathOf(name), 'utf8').catch(() => undefined);
    const json = text === undefined ? undefined : parseJson(text);
    return installedRecord().safeParse(json).data;
  };
  return {
    find,
    async stored(name: string): Promise<InstalledRecord> {
      const record = await find(name);
      if (record) return record;
      throw new RequestError('unknown', `${label} '${name}' is not installed`);
    },
    async write(record: InstalledRecord): Promise<void> {
      makeDirectories(directory, 0o700);
      await writeAtomically(pathOf(record.name), `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
    },
    remove: async (name: string): Promise<void> => rm(pathOf(name), { force: true }),
    async names(): Promise<readonly string[]> {
      const files = (await readdir(directory).catch(() => [])).filter((file) => /^[^.].*\.json$/.test(file)).toSorted();
      return files.map((file) => file.slice(0, -'.json'.length));
    },
  };
}

interface InstallContext extends InstalledPackagesOptions {
  readonly signal: AbortSignal;
  readonly find: (name: string) => Promise<InstalledRecord | undefined>;
}

async function installPackage(
  from: PackageSource & { readonly force: boolean },
  { kind, directory, now, find, ...context }: InstallContext,
): Promise<InstalledRecord> {
  const { archive, resolvedRef } = await fetchPackage(from, context);
  makeDirectories(directory, 0o700);
  // Next to its place, so that it is moved there in one step.
  const staging = await mkdtemp(join(directory, '.install-'));
  try {
    const unpacked = await kind.unpack(archive, staging);
    const target = join(directory, unpacked.name);
    const exists = (await readdir(directory)).includes(unpacked.name);
    if (exists && !from.force) throw new RequestError('conflict', `${kind.label} '${unpacked.name}' is installed`);
    // What a person put there is never replaced.
    if (exists && !(await find(unpacked.name)))
      throw new RequestError('conflict', `${kind.label} '${unpacked.name}' was not installed by a client`);
    if (exists) await rename(target, join(staging, '.replaced'));
    await rename(unpacked.directory, target);
    const { name, version, description } = unpacked;
    return {
      name,
      version,
      description,
      source: sourceAddress(from.source).source,
      ref: from.ref ?? null,
      resolved_ref: resolvedRef ?? null,
      repo_path: from.repo_path ?? null,
      installed_at: new Date(now()).toISOString(),
    };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}
