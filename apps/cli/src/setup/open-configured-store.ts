import { homedir } from 'node:os';
import { join } from 'node:path';
import { openStore, type EventStore } from '@varve/storage';
import { schemes } from './schemes.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Returns varve's data directory: VARVE_HOME, else `~/.varve`. */
export function varveHome({ env }: TerminalIo): string {
  return env['VARVE_HOME'] || join(env['HOME'] || homedir(), '.varve');
}

/** Returns the URL of the store: `--store`, else VARVE_STORE, else a SQLite file in VARVE_HOME (`~/.varve`). */
export function storeUrl(io: TerminalIo, option: string | undefined): string {
  return option ?? (io.env['VARVE_STORE'] || `sqlite:${join(varveHome(io), 'varve.db')}`);
}

/** Opens the configured store. @throws {StorageError} `invalid` for a bad URL, `io` if it cannot be opened. */
export function openConfiguredStore(io: TerminalIo, option: string | undefined): Promise<EventStore> {
  return openStore(storeUrl(io, option), schemes);
}
