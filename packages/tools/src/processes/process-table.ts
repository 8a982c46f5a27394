import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { attempt } from '../files/attempt.ts';

/** Entry of the process table. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Session id; where the system does not report it, the process group id. */
  readonly session: number;
  /** Start time, in the system's format; distinguishes processes that had the same number. */
  readonly started: string;
}

/** Returns the entry of a running process; undefined for a missing or unreadable process or a zombie. */
export function processEntry(pid: number): ProcessEntry | undefined {
  return attempt(() => readProcessEntry(pid));
}

/**
 * Returns the entry of a running process; undefined for a missing process or a zombie. Throws errors of the system that
 * leave it unknown whether the process runs, such as too many open files.
 */
export function readProcessEntry(pid: number): ProcessEntry | undefined {
  if (process.platform !== 'linux') return psEntries(['-p', String(pid)]).at(0);
  const fields = statusOf(pid);
  const [state = 'Z', parent, group, session] = fields;
  if (state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), started: fields[19] ?? '' };
}

/**
 * Returns the fields that Linux reports of a process after its name: state, parent, group, session, terminal,
 * foreground group, …; none for a missing process. Throws other errors of the system.
 */
export function statusOf(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may contain any character.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch (error) {
    // The second: the process ended while it was read.
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH'].includes(String(error.code))) return [];
    throw error;
  }
}

/** Returns true if a signal has stopped the process. False on systems other than Linux. */
export function isStopped(pid: number): boolean {
  const [state = ''] = (process.platform === 'linux' && attempt(() => statusOf(pid))) || [];
  return /^[Tt]$/.test(state);
}

/** Returns every running process that is visible to this user, without zombies; none if the system lists none. */
export function processTable(): readonly ProcessEntry[] {
  if (process.platform !== 'linux') return psEntries(['-A']);
  // Nothing if this process has too many open files, or no `/proc`.
  const names = attempt(() => readdirSync('/proc')) ?? [];
  return names
    .filter((name) => /^\d+$/.test(name))
    .map((name) => processEntry(Number(name)))
    .filter((entry) => entry !== undefined);
}

/** Returns true if other processes run in the session of a shell; those that started the shell are not counted. */
export function hasOtherProcesses(shell: number | undefined): boolean {
  if (shell === undefined) return false;
  const table = processTable();
  const session = table.find(({ pid }) => pid === shell)?.session;
  const ancestors = ancestryOf(shell, table);
  return table.some((entry) => entry.session === session && !ancestors.has(entry.pid));
}

/** Returns the ids of a process and its ancestors. */
export function ancestryOf(last: number, table: readonly ProcessEntry[]): ReadonlySet<number> {
  const parents = new Map(table.map(({ pid, parent }) => [pid, parent]));
  const ancestry = new Set<number>();
  for (let pid: number | undefined = last; pid !== undefined && !ancestry.has(pid); pid = parents.get(pid))
    ancestry.add(pid);
  return ancestry;
}

/** Returns the oldest running child of a process. Linux only. */
export function oldestChild(parent: number): number | undefined {
  const children = attempt(() => readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')) ?? '';
  const [first = ''] = children.split(' ');
  return first === '' ? undefined : Number(first);
}

/** Returns the processes that `ps` lists, without zombies; none when it fails. `ps` does not report sessions. */
export function psEntries(which: readonly string[]): readonly ProcessEntry[] {
  try {
    const lines = execFileSync('ps', [...which, '-o', 'pid=,ppid=,pgid=,stat=,lstart='], {
      encoding: 'utf8',
      timeout: 2000,
      // A fixed locale and time zone, so that the start time of a process is always printed the same.
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
        group: Number(group),
        session: Number(group),
        started: started.join(' '),
      }));
  } catch {
    return [];
  }
}
