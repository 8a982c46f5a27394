import { readdirSync } from 'node:fs';
import { processEntry, type ProcessEntry } from './process-entry.ts';
import { psEntries } from './ps-entries.ts';

/** Every process that is not dead, as far as it can be seen. */
export function processTable(): readonly ProcessEntry[] {
  if (process.platform !== 'linux') return psEntries(['-A']);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => processEntry(Number(name)))
    .filter((entry) => entry !== undefined);
}
