import { join } from 'node:path';
import { pruneToolFiles } from '@varve/tools';
import { varveHome } from './varve-home.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Limits for files of old conversations. */
const limits = { maxAgeMs: 30 * 24 * 60 * 60 * 1000, maxBytes: 1024 ** 3 };

/** Which files stay. */
export interface PruneOptions {
  /** Conversation whose files stay. */
  readonly keep?: string;
  /** Default 30 days. */
  readonly maxAgeMs?: number;
}

/**
 * Removes undo histories and long outputs of conversations from VARVE_HOME when they are too old or too large, and
 * returns their number. Never rejects.
 */
export async function pruneVarveHome(io: TerminalIo, options: PruneOptions): Promise<number> {
  let count = 0;
  for (const name of ['edits', 'outputs']) {
    const removed = await pruneToolFiles(join(varveHome(io), name), { ...limits, ...options });
    count += removed.length;
  }
  return count;
}
