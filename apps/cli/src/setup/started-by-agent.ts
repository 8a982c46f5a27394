import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';

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

function runs(pid: number, program: string): boolean {
  // An interpreter and its options precede the file of the program.
  const files = listOf(pid, 'cmdline').slice(0, 8);
  try {
    const [directory, real] = [readlinkSync(`/proc/${pid}/cwd`), realpathSync(program)];
    return files.some((file) => file.includes('/') && realPathOf(resolve(directory, file)) === real);
  } catch {
    return false;
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
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
