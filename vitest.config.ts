import { defineConfig } from 'vitest/config';

export default defineConfig({
  ssr: { resolve: { conditions: ['@varve/source'] } },
  test: {
    include: ['{packages,apps}/*/src/**/*.test.ts', 'examples/*.test.ts', 'tests/*.test.ts'],
    exclude: ['**/*.long.test.ts', '**/node_modules/**'],
    globalSetup: ['tests/temporary-files.ts'],
    setupFiles: ['tests/setup.ts'],
    testTimeout: 30_000,
  },
});
