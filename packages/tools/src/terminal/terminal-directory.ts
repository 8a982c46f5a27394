import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordProcess } from './process-record.ts';
import { reapShells } from './reap-shells.ts';
import { directoryPrefix, ownerFile } from './terminal-names.ts';

/**
 * Makes the private directory of a terminal, among other temporary files. What hosts that were killed have left there is
 * removed before, and their shells are ended.
 */
export async function terminalDirectory(): Promise<string> {
  await reapShells(tmpdir());
  const directory = await mkdtemp(join(tmpdir(), directoryPrefix));
  recordProcess(join(directory, ownerFile), process.pid);
  return directory;
}
