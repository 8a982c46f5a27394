import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What is known of a running process. */
export interface ProcessEntry {
  readonly pid: number;
  readonly group: number;
  /** The session; where that cannot be told, the group. */
  readonly session: number;
  /** When it started. Of two processes with one number, the later one has another. */
  readonly started: string;
}

/** Every process that is not dead, as far as it can be seen. */
export function processTable(): readonly ProcessEntry[] {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

function fromProc(): readonly ProcessEntry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(procEntry)
    .filter((entry) => entry !== undefined);
}

function procEntry(pid: string): ProcessEntry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name stands in parentheses and may hold anything; the fields after it are state, parent, group, session, …
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = 'Z', , group, session] = fields;
    if (state === 'Z' || state === 'X') return undefined;
    return { pid: Number(pid), group: Number(group), session: Number(session), started: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

function fromPs(): readonly ProcessEntry[] {
  try {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,pgid=,stat=,lstart='], { encoding: 'utf8', timeout: 2000 });
    return lines.split('\n').flatMap((line) => {
      const [number, group, state = 'Z', ...started] = line.trim().split(/\s+/);
      if (state.startsWith('Z')) return [];
      return [{ pid: Number(number), group: Number(group), session: Number(group), started: started.join(' ') }];
    });
  } catch {
    return [];
  }
}
