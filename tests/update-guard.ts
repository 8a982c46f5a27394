import type { TestProject } from 'vitest/node';

/**
 * Refuses `-u` without test paths, which would rewrite every golden file. Paths must come before `-u`:
 * after it, vitest takes the first path as the value of the option.
 *
 * @throws {Error} when golden files are to be updated in every test file.
 */
export default function updateGuard({ vitest }: TestProject): void {
  // vitest does not declare the path filters of its command line. If they disappear, every -u is refused.
  const paths: unknown = Reflect.get(vitest, 'filenamePattern');
  const hasPaths = Array.isArray(paths) && paths.length > 0;
  if (vitest.config.snapshotOptions.updateSnapshot !== 'none' && !hasPaths) {
    throw new Error('-u needs test paths before it: pnpm test PATH… -u.');
  }
}
