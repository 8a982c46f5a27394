import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ancestryOf, processTable } from '../../src/processes/process-table.ts';
import { isInside } from './inside-sandbox.ts';

/** Returns true for a running process; false for a zombie. */
export function isRunning(pid: number | undefined): boolean {
  if (pid === undefined || !Number.isInteger(pid)) throw new TypeError(`${pid} is not the number of a process.`);
  return /^[^Z]/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout);
}

/**
 * Returns the number of a process that a program of a terminal has printed: in a sandbox, where processes have other
 * numbers, that of the newest one with it. Call while it runs.
 */
export function printedPid(printed: string | number): number {
  const inner = Number(printed);
  if (!isInside) return inner;
  const table = processTable();
  const entries = table.filter(({ pid }) => innerPid(pid) === inner && ancestryOf(pid, table).has(process.pid));
  const newest = entries.toSorted((a, b) => Number(b.started) - Number(a.started)).at(0);
  if (newest === undefined) throw new Error(`No process has the number ${printed} in a sandbox.`);
  return newest.pid;
}

/** Returns the number of a process in its own namespace; undefined for one in that of this process. */
function innerPid(pid: number): number | undefined {
  try {
    const [, ...inner] =
      /^NSpid:(.*)$/m
        .exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
        ?.trim()
        .split('\t') ?? [];
    return inner.length === 0 ? undefined : Number(inner.at(-1));
  } catch {
    return undefined;
  }
}
