import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectories } from '@varve/files';
import { memoryStore, openStore, StorageError, type EventStore } from '@varve/storage';
import { diskError } from '@varve/storage/kit';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { diskSchemes, existingSchemesOf, schemesOf } from './schemes.ts';
import { settingsFor } from './settings.ts';
import { pathIn, varveHome } from './varve-home.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/**
 * Returns the URL of the store: `--store`, else the setting `store`, else a SQLite file in VARVE_HOME (`~/.varve`). Its
 * path is absolute, and `~/` is the home directory, which shells do not replace after a colon. It may
 * contain a password.
 */
export async function storeUrl(io: TerminalIo, option: string | undefined): Promise<string> {
  const url = (await configuredUrl(io, option)) ?? `sqlite:${join(varveHome(io), 'varve.db')}`;
  const { scheme, path } = partsOf(url);
  return scheme === undefined || path === '' || path === ':memory:' ? url : `${scheme}:${pathIn(io, path)}`;
}

/**
 * Opens the configured store, and creates it and varve's data directory if missing. A role of its database receives
 * the rights to append.
 *
 * @throws {CliError} `usage` for a bad URL; {@link StorageError} `io` if it cannot be opened.
 */
export async function openConfiguredStore(
  io: TerminalIo,
  option: string | undefined,
  role?: string,
): Promise<EventStore> {
  const url = await storeUrl(io, option);
  try {
    makeDirectories(varveHome(io), 0o700);
  } catch (error) {
    throw diskError(error);
  }
  return openedStore(url, schemesOf(io.env, role));
}

/**
 * Opens the configured store for a command that only reads, and creates nothing. The default store is empty until the
 * first run.
 *
 * @throws {CliError} `storage` if the store that was named does not exist; an error of `openStore`.
 */
export async function openExistingStore(io: TerminalIo, option: string | undefined): Promise<EventStore> {
  const url = await storeUrl(io, option);
  if (await exists(url)) return openedStore(url, existingSchemesOf(io.env));
  if ((await configuredUrl(io, option)) === undefined) return memoryStore();
  throw new CliError(exitCodes.storage, `There is no store ${url}.`, 'Check --store or VARVE_STORE.');
}

async function openedStore(url: string, known: ReturnType<typeof schemesOf>): Promise<EventStore> {
  try {
    return await openStore(url, known);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    if (error.code === 'missing') {
      throw new CliError(exitCodes.storage, error.message, 'Check --store or VARVE_STORE.');
    }
    if (error.code !== 'invalid') throw error;
    throw new CliError(
      exitCodes.usage,
      error.message,
      'A store is sqlite:FILE, dir:PATH, postgres://HOST/DATABASE or memory:.',
    );
  }
}

/** Returns whether a store is on disk; an empty file is not a store. Other schemes are left to `openStore`. */
async function exists(url: string): Promise<boolean> {
  const { scheme, path } = partsOf(url);
  if (scheme === undefined || path === '' || path.includes('\0')) return true;
  try {
    const stats = await stat(path);
    return !stats.isFile() || stats.size > 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return false;
    throw diskError(error);
  }
}

async function configuredUrl(io: TerminalIo, option: string | undefined): Promise<string | undefined> {
  return option ?? (await settingsFor(io)).get('store');
}

/** Splits the URL of a store on disk. */
function partsOf(url: string): { readonly scheme?: string; readonly path: string } {
  const scheme = Object.keys(diskSchemes).find((name) => url.startsWith(`${name}:`));
  return scheme === undefined ? { path: url } : { scheme, path: url.slice(scheme.length + 1) };
}
