import assert from 'node:assert/strict';
import { join } from 'node:path';
import { root, subpathsOf, type WorkspacePackage } from '../workspace.ts';
import { run } from './run.ts';

/** A package as it would be published. */
export interface Packed extends WorkspacePackage {
  readonly tarball: string;
  /** Paths inside the package. */
  readonly files: readonly string[];
}

/** Packs a package into a folder. @throws {Error} if pnpm fails. */
export async function pack(pkg: WorkspacePackage, folder: string): Promise<Packed> {
  await run('pnpm', ['pack', '--pack-destination', folder], join(root, pkg.folder));
  const { name, version } = pkg.manifest;
  const tarball = join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  const listed = await run('tar', ['-tzf', tarball], folder);
  return {
    ...pkg,
    tarball,
    files: listed
      .trim()
      .split('\n')
      .map((file) => file.replace(/^package\//, '')),
  };
}

/**
 * Checks that a package contains its entries and licence, no tests and no module twice.
 *
 * @throws {AssertionError} naming the defect.
 */
export function checkFiles(packed: Packed): void {
  const { bin = {} } = packed.manifest;
  const entries = [...subpathsOf(packed).map(({ built }) => built), ...Object.values(bin)].map((path) =>
    path.replace('./', ''),
  );
  const missing = [...entries, ...declarationsOf(packed), 'LICENSE'].filter((file) => !packed.files.includes(file));
  const tests = packed.files.filter(
    // The tests of the demo project are part of the demo.
    (file) => /\.test\.|\/golden\/|\.tsbuildinfo$/.test(file) && !file.startsWith('demo/'),
  );
  // The maps of a bundle are its only link to the sources.
  const again = packed.files.filter((file) => subpathsOf(packed).length > 0 && /^src\/|\.map$/.test(file));
  assert.deepEqual({ missing, tests, again }, { missing: [], tests: [], again: [] });
}

function declarationsOf(packed: Packed): readonly string[] {
  return subpathsOf(packed).map(({ built }) => built.replace('./', '').replace(/\.js$/, '.d.ts'));
}
