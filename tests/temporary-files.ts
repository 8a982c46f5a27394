import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives a test run a temporary directory of its own, and takes it away with all that tests left in it. */
export default async function temporaryFiles(): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'varve-tests-'));
  // Some tests act as another user, who must be able to come in.
  await chmod(dir, 0o1777);
  process.env['TMPDIR'] = dir;
  return () => rm(dir, { recursive: true, force: true, maxRetries: 3 });
}
