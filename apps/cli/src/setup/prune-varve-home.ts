import { join } from 'node:path';
import { pruneToolFiles } from '@varve/tools';
import { varveHome } from './varve-home.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Limits for files of old conversations. */
const limits = { maxAgeMs: 30 * 24 * 60 * 60 * 1000, maxBytes: 1024 ** 3 };

/**
 * Removes undo histories and long outputs of other conversations from VARVE_HOME when they are too old or too large.
 * Never rejects.
 */
export async function pruneVarveHome(io: TerminalIo, conversationId: string): Promise<void> {
  for (const name of ['edits', 'outputs']) {
    await pruneToolFiles(join(varveHome(io), name), { ...limits, keep: conversationId });
  }
}
