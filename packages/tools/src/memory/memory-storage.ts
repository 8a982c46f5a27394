import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lazy } from '@varve/events';
import { errnoOf, lockFile, writeAtomically } from '@varve/files';
import * as z from 'zod';

/** Texts of a memory, by path. */
export type MemoryEntries = ReadonlyMap<string, string>;

/** Storage of memories that outlive conversations. */
export interface MemoryStorage {
  /** Returns the entries of the memory of a scope; none for a new one. */
  read(scope: string): Promise<MemoryEntries>;
  /**
   * Replaces the entries of a scope by what `change` returns for the present ones, whole or not at all; undefined
   * leaves them. Changes of a scope run one after the other, over all processes. Rejects with what `change` throws.
   */
  change(scope: string, change: (entries: MemoryEntries) => MemoryEntries | undefined): Promise<void>;
}

const storedMemory = lazy(() => z.object({ scope: z.string(), entries: z.record(z.string(), z.string()) }));

/**
 * Returns the store of a directory, which is created on first use, for its owner only. Each scope is one file of JSON:
 * neither its name nor the paths of its entries are those of files, so that they can name nothing else.
 */
export function memoryDirectory(directory: string): MemoryStorage {
  const fileOf = (scope: string): string =>
    join(directory, `${createHash('sha256').update(scope).digest('hex').slice(0, 32)}.json`);
  const read = async (scope: string): Promise<MemoryEntries> => {
    const json = await readFile(fileOf(scope), 'utf8').catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    });
    return new Map(json === undefined ? [] : Object.entries(storedMemory().parse(JSON.parse(json)).entries));
  };
  return {
    read,
    async change(scope, change) {
      using _ = await lockFile(join(directory, 'memories.lock'));
      const entries = change(await read(scope));
      if (!entries) return;
      const json = JSON.stringify({ scope, entries: Object.fromEntries(entries) }, null, 2);
      await writeAtomically(fileOf(scope), `${json}\n`, { mode: 0o600 });
    },
  };
}
