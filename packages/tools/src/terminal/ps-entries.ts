import { execFileSync } from 'node:child_process';
import type { ProcessEntry } from './process-entry.ts';

/** The processes that `ps` tells of, those that are dead left out; none when it fails. It does not tell sessions. */
export function psEntries(which: readonly string[]): readonly ProcessEntry[] {
  try {
    const lines = execFileSync('ps', [...which, '-o', 'pid=,ppid=,pgid=,stat=,lstart='], {
      encoding: 'utf8',
      timeout: 2000,
      // A process must have started at the same time for whoever asks, and whenever.
      env: { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return lines
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state = 'Z']) => !state.startsWith('Z'))
      .map(([pid, parent, group, , ...started]) => ({
        pid: Number(pid),
        parent: Number(parent),
        session: Number(group),
        started: started.join(' '),
      }));
  } catch {
    return [];
  }
}
