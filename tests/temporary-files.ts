import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates a temporary directory for the test run and removes it with all remaining files. Node keeps compiled code in
 * it: most of the time of a short process is spent on loading modules.
 */
export default async function temporaryFiles(): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'varve-tests-'));
  // Some tests act as another user, who needs access.
  await chmod(dir, 0o1777);
  process.env['TMPDIR'] = dir;
  process.env['NODE_COMPILE_CACHE'] = join(dir, 'compile-cache');
  return () => rm(dir, { recursive: true, force: true, maxRetries: 3 });
}
