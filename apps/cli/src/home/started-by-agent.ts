import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, resolve } from 'node:path';

/** Far more than any process has. */
const maxAncestors = 100;

/**
 * Reports whether an agent has started this process, by its ancestors: one has the mark of the shells of agents in the
 * environment that it was started with, or is this program. A command can remove the mark from the environment of the
 * next one, but not from that of its parent. Linux only; false for a process that left its ancestors.
 */
export function startedByAgent(program = process.argv[1] ?? '', parent = process.ppid): boolean {
  for (let pid = parent, count = 0; pid > 1 && count < maxAncestors; pid = parentOf(pid), count += 1) {
    if (listOf(pid, 'environ').some((entry) => entry.startsWith('VARVE_AGENT='))) return true;
    if (runs(pid, program)) return true;
  }
  return false;
}

/** Reports whether a process is Node with this program: `timeout` and the like have it only among their arguments. */
function runs(pid: number, program: string): boolean {
  try {
    const [directory, executable] = [readlinkSync(`/proc/${pid}/cwd`), readlinkSync(`/proc/${pid}/exe`)];
    if (basename(executable) !== basename(process.execPath)) return false;
    const script = listOf(pid, 'cmdline')
      .slice(1)
      .find((argument) => !argument.startsWith('-'));
    return script !== undefined && realpathSync(resolve(directory, script)) === realpathSync(program);
  } catch {
    return false;
  }
}

function parentOf(pid: number): number {
  const stat = read(pid, 'stat');
  // The name of the program, in parentheses, may contain any character.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

function listOf(pid: number, file: 'environ' | 'cmdline'): readonly string[] {
  return read(pid, file).split('\0');
}

/** Returns nothing for a process that has ended, and for one of another user. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
