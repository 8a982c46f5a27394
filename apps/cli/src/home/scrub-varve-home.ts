import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from '@varve/files';
import { redactor } from '@varve/text';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { varveHome } from './varve-home.ts';

/**
 * Masks secrets in the typed inputs, long outputs, logged calls and undo histories of VARVE_HOME. Returns the number of
 * changed files. A masked undo history is not used any more, because its texts are named after their digests.
 */
export async function scrubVarveHome(io: TerminalIo, secrets: readonly string[]): Promise<number> {
  const home = varveHome(io);
  const masking = redactor(secrets, { replacement: (match) => '*'.repeat(match.length) });
  const names = await Promise.all(['edits', 'outputs', 'completions'].map(async (name) => filesBelow(home, name)));
  let count = 0;
  for (const name of ['inputs.jsonl', ...names.flat()]) {
    const path = join(home, name);
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isFile()) continue;
    const before = await readFile(path, 'utf8');
    const after = /\.jsonl?$/.test(name) ? masking.jsonText(before) : masking.text(before);
    if (after === before) continue;
    await writeAtomically(path, after, { mode: 0o600 });
    count += 1;
  }
  return count;
}

async function filesBelow(home: string, name: string): Promise<readonly string[]> {
  const found = await readdir(join(home, name), { recursive: true }).catch(() => []);
  return found.map((file) => join(name, file));
}
