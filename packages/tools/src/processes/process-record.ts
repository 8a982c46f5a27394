import { readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';
import { processEntry } from './process-table.ts';

/** A process as it is written down, to be told from a later one with the same number. */
export interface ProcessRecord {
  /** The running system that numbers it. */
  readonly where: string;
  readonly pid: number;
  readonly started: string;
}

const record = z.object({ where: z.string(), pid: z.int().positive(), started: z.string() });

/** Writes down a running process. Given up when the file cannot be written, or nothing is known of the process. */
export function recordProcess(file: string, pid: number): void {
  const { started } = processEntry(pid) ?? {};
  if (started === undefined) return;
  try {
    writeFileSync(file, JSON.stringify({ where: systemId(), pid, started } satisfies ProcessRecord), { mode: 0o600 });
  } catch {
    // Commands may have removed the directory, or the disk is full.
  }
}

/** What was written down, if it was a process of the system that runs here. */
export function readProcessRecord(file: string): ProcessRecord | undefined {
  try {
    const { data } = record.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    return data?.where === systemId() ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it is this very process that still runs, and not another with its number. */
export function isStillRunning({ pid, started }: Pick<ProcessRecord, 'pid' | 'started'>): boolean {
  return processEntry(pid)?.started === started;
}

/** Containers may share a directory for temporary files, and number their processes each for itself. */
function systemId(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}
