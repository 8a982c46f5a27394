// Whole modules, because the bundle puts this file next to the check of the version, and older Nodes lack some names.
import fs from 'node:fs';
import nodeModule from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Variables } from '@varve/text';

/** Free space that conversations need more than compiled code does. */
const reservedBytes = 100 * 1024 * 1024;

/**
 * Keeps compiled code in the data directory, which programs of the agent cannot write. A start then takes about 100 ms
 * less. Does nothing before that directory exists, or without space in it.
 */
export function keepCompiledCode(env: Variables): void {
  const home = env['VARVE_HOME'] || join(env['HOME'] || homedir(), '.varve');
  if (!isAbsolute(home)) return;
  const directory = join(home, 'compile-cache');
  try {
    // Not left to Node, whose recursive `mkdir` never returns where no directory can be created.
    if (!fs.existsSync(directory)) fs.mkdirSync(directory, { mode: 0o700 });
    const { bavail, bsize } = fs.statfsSync(directory);
    if (bavail * bsize > reservedBytes) nodeModule.enableCompileCache(directory);
  } catch {
    // The command reports what it cannot write itself.
  }
}
