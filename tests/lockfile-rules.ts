import { posix } from 'node:path';
import { parse } from 'yaml';

/** Parts of a lockfile of pnpm. */
interface Lockfile {
  readonly importers: Readonly<Record<string, Readonly<Record<string, Dependencies>>>>;
  readonly packages: Readonly<Record<string, { readonly resolution?: Readonly<Record<string, unknown>> }>>;
}

type Dependencies = Readonly<Record<string, { readonly version?: string }>>;

/** Patches and overrides, which replace what a package contains, are no part of it. */
const parts = new Set([
  'lockfileVersion',
  'settings',
  'catalogs',
  'pnpmfileChecksum',
  'importers',
  'packages',
  'snapshots',
]);

/** Returns what is in a lockfile besides packages of the registry with a strong digest, and links in the workspace. */
export function lockfileProblems(text: string): readonly string[] {
  const lockfile = parse(text, { maxAliasCount: 0 }) as Lockfile;
  const { importers, packages } = lockfile;
  const wrong = Object.entries(packages).filter(([name, { resolution = {} }]) => !isOfRegistry(name, resolution));
  return [
    ...Object.keys(lockfile).filter((part) => !parts.has(part)),
    ...wrong.map(([name]) => name),
    ...Object.entries(importers).flatMap(([folder, groups]) =>
      Object.values(groups)
        .flatMap((dependencies) => Object.values(dependencies))
        .map(({ version = '' }) => version)
        .filter((version) => !/^\d+\.\d+\.\d+/.test(version) && !isInWorkspace(folder, version)),
    ),
  ];
}

function isOfRegistry(name: string, resolution: Readonly<Record<string, unknown>>): boolean {
  const isName = /^(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+[\w.+-]*$/.test(name);
  const { integrity, ...others } = resolution;
  return isName && /^sha512-[\w+/]{86}==$/.test(String(integrity)) && Object.keys(others).length === 0;
}

function isInWorkspace(folder: string, version: string): boolean {
  return /^(?:packages|apps)\/[\w-]+$/.test(posix.join(folder, version.replace(/^link:/, '')));
}
