// The whole module, because the bundle puts this file next to the check of the version, and Node 20 has no such name.
import nodeModule from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Variables } from '@varve/text';

/**
 * Keeps compiled code in the data directory, which programs of the agent cannot write. A start then takes about 100 ms
 * less. Does nothing without a home directory.
 */
export function keepCompiledCode(env: Variables): void {
  const home = env['VARVE_HOME'] || join(env['HOME'] || homedir(), '.varve');
  if (isAbsolute(home)) nodeModule.enableCompileCache(join(home, 'compile-cache'));
}
