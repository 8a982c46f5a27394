import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { parseJson } from '@varve/text';
import { attempt } from '../files/attempt.ts';
import { readPrivateFile, writePrivateFile } from '../files/private-file.ts';
import { processEntry, readProcessEntry } from './process-table.ts';

/** Stored identity of a process, which distinguishes it from a later process with the same number. */
export interface ProcessRecord {
  /** Running system, or container, in which `pid` is valid. */
  readonly where: string;
  readonly pid: number;
  readonly started: string;
}

/** A record is much shorter; another program may have put anything in its place. */
const maxRecordBytes = 4096;

const record = lazy(() => z.object({ where: z.string(), pid: z.int().positive(), started: z.string() }));

/**
 * Stores the identity of a running process. Does nothing when the file cannot be written or the process is not found.
 */
export function recordProcess(file: string, pid: number): void {
  const { started } = processEntry(pid) ?? {};
  if (started === undefined) return;
  try {
    writePrivateFile(file, JSON.stringify({ where: systemId(), pid, started } satisfies ProcessRecord));
  } catch {
    // Commands may have removed the directory, or the disk is full.
  }
}

/** Reads a stored process. Returns undefined when it is unreadable or belongs to another system. */
export function readProcessRecord(file: string): ProcessRecord | undefined {
  const { data } = record().safeParse(parseJson(readPrivateFile(file, maxRecordBytes)));
  return data?.where === systemId() ? data : undefined;
}

/** Returns true if this process is still running, and not another one with its number. */
export function isStillRunning({ pid, started }: Pick<ProcessRecord, 'pid' | 'started'>): boolean {
  return processEntry(pid)?.started === started;
}

/** Returns true if this process has certainly ended: false if the system cannot report it at the moment. */
export function hasEnded({ pid, started }: Pick<ProcessRecord, 'pid' | 'started'>): boolean {
  try {
    return readProcessEntry(pid)?.started !== started;
  } catch {
    return false;
  }
}

/**
 * Returns an id of the running system. Containers may share a temporary directory, but each has its own process
 * numbers.
 */
function systemId(): string {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid'));
  return boot === undefined || namespace === undefined ? hostname() : `${boot} ${namespace}`;
}
