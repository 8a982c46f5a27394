import { readFileSync } from 'node:fs';
import { psEntries } from './ps-entries.ts';

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
