import { createHash } from 'node:crypto';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectories } from '@varve/files';
import { fetchPackage, type FetchOptions, type PackageSource } from './fetch-package.ts';
import { manifestOf, pluginPackages } from './package-kind.ts';

/** Options of {@link fetchPlugin}. */
export interface FetchPluginOptions extends FetchOptions {
  /** Directory of fetched plugins: each is in one whose name is the hash of its archive, and never changes. */
  readonly directory: string;
}

/**
 * Fetches a plugin and returns its directory. Nothing of it is executed.
 *
 * @throws {RequestError} `unsupported` if it cannot be fetched, `invalid` for its content.
 */
export async function fetchPlugin(from: PackageSource, options: FetchPluginOptions): Promise<string> {
  const { archive } = await fetchPackage(from, options);
  const target = join(options.directory, createHash('sha256').update(archive).digest('hex'));
  if (await manifestOf(target)) return target;
  makeDirectories(options.directory, 0o700);
  const staging = await mkdtemp(join(options.directory, '.fetch-'));
  try {
    const { directory } = await pluginPackages.unpack(archive, staging);
    await rename(directory, target).catch(async (error: unknown) => {
      // Another request fetched the same.
      if (!(await stat(target).catch(() => undefined))) throw error;
    });
    return target;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}
