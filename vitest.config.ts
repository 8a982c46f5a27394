import { defineConfig } from 'vitest/config';

export default defineConfig({
  ssr: { resolve: { conditions: ['@varve/source'] } },
  test: {
    include: ['{packages,apps}/*/{src,test}/**/*.test.ts', 'examples/*.test.ts', 'tests/*.test.ts'],
    exclude: ['**/*.long.test.ts', '**/node_modules/**'],
    globalSetup: ['tests/update-guard.ts', 'tests/temporary-files.ts'],
    setupFiles: ['tests/setup.ts'],
    // A missing golden file fails; only -u writes it.
    update: 'none',
    // By default one processor of two stays idle, while tests wait for disks and processes. A third file at a time uses
    // what two leave: 231 seconds instead of 265.
    maxWorkers: 3,
    // Loading the modules again for each file takes as long as the tests.
    isolate: false,
    // Tests wait for events: only one that hangs exceeds this, even on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
