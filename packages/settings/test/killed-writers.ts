import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { withFileLock } from '../src/files/file-lock.ts';

const program = fileURLToPath(new URL('write-process.ts', import.meta.url));

/** A file that several killed processes have written. */
export interface KilledWriters {
  /** Keys that the processes reported as stored. */
  readonly reported: readonly string[];
  /** Keys in the file. */
  readonly stored: readonly string[];
}

/**
 * Starts one writer per entry of `keysUntilKill`, all of the same file, kills each after it reported that number of
 * keys, and takes the lock.
 */
export async function killedWriters(keysUntilKill: readonly number[]): Promise<KilledWriters> {
  const home = await mkdtemp(join(tmpdir(), 'varve-settings-'));
  const reported = await Promise.all(keysUntilKill.map((count, index) => runAndKill(home, `w${index}`, count)));
  const text = await withFileLock(join(home, 'settings.lock'), () => readFile(join(home, 'shared.json'), 'utf8'));
  return { reported: reported.flat(), stored: Object.keys(JSON.parse(text) as Record<string, number>) };
}

async function runAndKill(home: string, name: string, count: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--conditions=@varve/source', program, home, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const keys: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    keys.push(line);
    // The process is somewhere in its next update by now.
    if (keys.length === count) child.kill('SIGKILL');
  }
  await exited;
  return keys;
}
