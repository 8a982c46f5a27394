import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What is known of a running process. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** The session; where that cannot be told, the group. */
  readonly session: number;
  /** When it started. Of two processes with one number, the later one has another. */
  readonly started: string;
}

/** A process that is not dead; undefined when there is none. */
export function processEntry(pid: number): ProcessEntry | undefined {
  if (process.platform !== 'linux') return psEntries(['-p', String(pid)]).at(0);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name stands in parentheses and may hold anything; the fields after it are state, parent, group, session, …
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = 'Z', parent, , session] = fields;
    if (state === 'Z' || state === 'X') return undefined;
    return { pid, parent: Number(parent), session: Number(session), started: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

/** Every process that is not dead, as far as it can be seen. */
export function processTable(): readonly ProcessEntry[] {
  if (process.platform !== 'linux') return psEntries(['-A']);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => processEntry(Number(name)))
    .filter((entry) => entry !== undefined);
}

/** Whether other programs run in the session of a shell. */
export function hasOtherProcesses(shell: number | undefined): boolean {
  return shell !== undefined && processTable().some(({ pid, session }) => session === shell && pid !== shell);
}

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
