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
export async function pack(one: WorkspacePackage, folder: string): Promise<Packed> {
  await run('pnpm', ['pack', '--pack-destination', folder], join(root, one.folder));
  const { name, version } = one.manifest;
  const tarball = join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  const listed = await run('tar', ['-tzf', tarball], folder);
  return {
    ...one,
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
export function checkFiles(one: Packed): void {
  const { bin = {} } = one.manifest;
  const entries = [...subpathsOf(one).map(({ built }) => built), ...Object.values(bin)].map((path) =>
    path.replace('./', ''),
  );
  const missing = [...entries, ...declarationsOf(one), 'LICENSE'].filter((file) => !one.files.includes(file));
  const tests = one.files.filter(
    // The tests of the demo project are part of the demo.
    (file) => /\.test\.|\/golden\/|\.tsbuildinfo$/.test(file) && !file.startsWith('demo/'),
  );
  // The maps of a bundle are its only link to the sources.
  const again = one.files.filter((file) => subpathsOf(one).length > 0 && /^src\/|\.map$/.test(file));
  assert.deepEqual({ missing, tests, again }, { missing: [], tests: [], again: [] });
}

function declarationsOf(one: Packed): readonly string[] {
  return subpathsOf(one).map(({ built }) => built.replace('./', '').replace(/\.js$/, '.d.ts'));
}
