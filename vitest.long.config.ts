import { defineConfig } from 'vitest/config';

/** Configuration of long-running tests: thousands of seeds, soaks, kill loops. */
export default defineConfig({
  ssr: { resolve: { conditions: ['@varve/source'] } },
  test: {
    include: ['{packages,apps}/*/{src,test}/**/*.long.test.ts', 'tests/*.long.test.ts'],
    globalSetup: ['tests/update-guard.ts', 'tests/temporary-files.ts'],
    setupFiles: ['tests/setup.ts'],
    // A missing golden file fails; only -u writes it.
    update: 'none',
    // By default one processor of two stays idle, while most of these tests wait for processes.
    maxWorkers: 2,
    testTimeout: 400_000,
    hookTimeout: 400_000,
    expect: { poll: { timeout: 60_000 } },
    passWithNoTests: true,
  },
});
