import { spawnSync } from 'node:child_process';

/** Returns true for a running process; false for a zombie. */
export function isRunning(pid: number | undefined): boolean {
  if (pid === undefined || !Number.isInteger(pid)) throw new TypeError(`${pid} is not the number of a process.`);
  return /^[^Z]/.test(spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout);
}
