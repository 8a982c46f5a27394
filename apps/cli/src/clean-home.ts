import { join } from 'node:path';
import { pruneToolFiles } from '@varve/tools';
import { varveHome } from './store-from.ts';
import type { TerminalIo } from './terminal-io.ts';

/** Long enough for whoever comes back to a conversation, and for what a machine has to spare. */
const limits = { maxAgeMs: 30 * 24 * 60 * 60 * 1000, maxBytes: 1024 ** 3 };

/**
 * Removes what edits and long outputs of other conversations have left in VARVE_HOME, when it is old or too much. Never
 * rejects.
 */
export async function cleanHome(io: TerminalIo, conversationId: string): Promise<void> {
  for (const name of ['edits', 'outputs']) {
    await pruneToolFiles(join(varveHome(io), name), { ...limits, keep: conversationId });
  }
}
