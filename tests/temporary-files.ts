import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** File system in memory: tests with a log on disk take a fraction of the time there. */
const inMemory = '/dev/shm';
const neededBytes = 4 * 1024 ** 3;

/**
 * Settings of glibc: freed memory goes back to the system. A process that starts another one copies the table of its
 * pages, and a run starts thousands: 245 seconds instead of 264, and 430 instead of 476 of processor time.
 */
const memorySettings = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_MMAP_THRESHOLD_: '131072',
};

/**
 * Creates a temporary directory for the test run and removes it with all remaining files. Node keeps compiled code in
 * it: most of the time of a short process is spent on loading modules.
 */
export default async function temporaryFiles(): Promise<() => Promise<unknown>> {
  const dir = (await directoryInMemory()) ?? (await mkdtemp(join(tmpdir(), 'varve-tests-')));
  // Some tests act as another user, who needs access.
  await chmod(dir, 0o1777);
  Object.assign(process.env, memorySettings, { TMPDIR: dir });
  process.env['NODE_COMPILE_CACHE'] = join(dir, 'compile-cache');
  process.env['VARVE_TEST_APPS'] = join(dir, 'apps');
  // Processes that still end write compiled code into it: their leftovers make no failed run.
  return () =>
    rm(dir, { recursive: true, force: true, maxRetries: 10 }).catch((error) => process.stderr.write(`${error}\n`));
}

/** Returns a new directory in memory, if there is a large file system from which programs can be started. */
async function directoryInMemory(): Promise<string | undefined> {
  const free = await statfs(inMemory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  if (free < neededBytes) return undefined;
  const dir = await mkdtemp(join(inMemory, 'varve-tests-')).catch(() => undefined);
  if (dir === undefined) return undefined;
  const program = join(dir, 'program');
  try {
    await writeFile(program, '#!/bin/sh\n', { mode: 0o755 });
    await promisify(execFile)(program);
    return dir;
  } catch {
    await rm(dir, { recursive: true, force: true });
    return undefined;
  }
}
