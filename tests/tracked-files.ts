import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspace.ts';

/** Returns every file that git tracks or would add (untracked and not ignored), relative to the root. */
export function trackedFiles(): readonly string[] {
  const output = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return [...new Set(output.split('\0'))].filter((file) => file !== '' && existsSync(join(root, file))).toSorted();
}
