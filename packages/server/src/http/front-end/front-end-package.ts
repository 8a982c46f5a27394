import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeDirectories } from '@varve/files';
import type { Variables } from '@varve/text';
import { ServerError } from '../../error.ts';
import { unpackArchive } from '../../extensions/unpack-archive.ts';

const packageName = '@openhands/agent-canvas';

/** Release of the front end that is tested with the server. */
export const frontEndVersion = '1.20.0';

/** Name and version of the package of the front end, as npm installs it. */
export const frontEndPackage = `${packageName}@${frontEndVersion}`;

/** SHA-512 of its archive: its page receives the key of the server, so the registry is not trusted with it. */
const integrity = 'uq28bmdMapsDN0ltp5ZHYm9xfuk7cHktNkd0NY38w/UTq25wJTqSKSPya+2+ky0+HpGX2vmn0uF3mHuNCoOb2w==';

/** More than the package has: 6,000 files and 90 MB. */
const archiveLimits = { files: 20_000, fileBytes: 32 * 1024 * 1024, totalBytes: 256 * 1024 * 1024 };

/** Directories and environment for {@link frontEndDirectory}. */
export interface FrontEndPlaces {
  /** Directory whose installed packages are looked up first; default that of varve. */
  readonly installation?: string;
  /** varve's data directory, which keeps the downloaded files. */
  readonly home: string;
  readonly env: Variables;
  /** Writes the archive of the package into a directory; default `npm pack`. */
  readonly pack?: (directory: string) => Promise<void>;
  /** Base64 SHA-512 that the archive must have; default that of {@link frontEndVersion}. */
  readonly sha512?: string;
}

/**
 * Returns the directory of the built front end: of the package that is installed next to varve, else of the copy in the
 * data directory, which is downloaded once. Only its files are kept: nothing of the package is installed or executed.
 * The current directory has no part in it: its page would receive the key of the server, and a repository can contain
 * any package.
 *
 * @throws {ServerError} `front-end` if the package cannot be downloaded or contains no page.
 */
export async function frontEndDirectory(places: FrontEndPlaces): Promise<string> {
  const installed = await installedDirectory(places.installation ?? import.meta.dirname);
  if (installed !== undefined) return installed;
  const kept = join(places.home, 'front-end', frontEndVersion);
  if (!(await hasPage(kept))) await download(kept, places);
  return kept;
}

/** Looks in `node_modules` of the directory and of those above it. */
async function installedDirectory(directory: string): Promise<string | undefined> {
  const build = join(directory, 'node_modules', packageName, 'build');
  if (await hasPage(build)) return build;
  const above = dirname(directory);
  return above === directory ? undefined : installedDirectory(above);
}

async function hasPage(directory: string): Promise<boolean> {
  try {
    await access(join(directory, 'index.html'));
    return true;
  } catch {
    return false;
  }
}

async function download(kept: string, places: FrontEndPlaces): Promise<void> {
  const { pack = (into) => npmPack(into, places.env), sha512 = integrity } = places;
  makeDirectories(dirname(kept), 0o700);
  const temporary = await mkdtemp(`${kept}-`);
  try {
    await pack(temporary);
    const name = (await readdir(temporary)).find((entry) => entry.endsWith('.tgz')) ?? 'archive';
    const archive = await readFile(join(temporary, name));
    if (createHash('sha512').update(archive).digest('base64') !== sha512) throw new Error('wrong digest');
    const directory = join(temporary, 'build');
    await unpackArchive({ archive, directory, inside: 'package/build', limits: archiveLimits });
    await rm(kept, { recursive: true, force: true });
    await rename(directory, kept);
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n', 1)[0] : 'unknown reason';
    throw new ServerError('front-end', `${frontEndPackage} cannot be downloaded: ${why}.`, { cause: error });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function npmPack(directory: string, env: Variables): Promise<void> {
  const args = ['pack', frontEndPackage, '--ignore-scripts', '--pack-destination', directory];
  await promisify(execFile)('npm', args, { env, cwd: directory, shell: process.platform === 'win32' });
}
