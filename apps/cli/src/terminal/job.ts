import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Processes that a shell started together, such as this one and a package manager that started it. */
export interface Job {
  /** Reports whether this process may change the terminal: its group is the one that the terminal reads for. */
  isForeground(): boolean;
  /** Sends a signal to all processes of the job, as a terminal does: a shell waits until all of them have stopped. */
  signal(name: 'SIGINT' | 'SIGTSTP' | 'SIGQUIT'): void;
}

/** Job of this process. */
export const processJob: Job = {
  isForeground: isInForeground,
  signal: (name) => void process.kill(0, name),
};

function isInForeground(): boolean {
  try {
    const fields =
      process.platform === 'linux'
        ? (readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1) ?? '').split(' ')
        : spawnSync('ps', ['-o', 'stat=,ppid=,pgid=,sess=,tt=,tpgid=', '-p', String(process.pid)])
            .stdout.toString()
            .trim()
            .split(/\s+/);
    const [, , group, , , foreground] = fields;
    return group !== undefined && group === foreground;
  } catch {
    return false;
  }
}
