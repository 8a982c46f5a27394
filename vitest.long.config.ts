import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

/** Starts the chaos run first: it mostly waits, for six minutes, and would be the last one without this. */
class ChaosFirst extends BaseSequencer {
  override async sort(...parameters: Parameters<BaseSequencer['sort']>) {
    const files = await super.sort(...parameters);
    const isChaos = ({ moduleId }: (typeof files)[number]): number => Number(moduleId.endsWith('chaos.long.test.ts'));
    return files.toSorted((a, b) => isChaos(b) - isChaos(a));
  }
}

/** Configuration of long-running tests: thousands of seeds, soaks, kill loops. */
export default defineConfig({
  ssr: { resolve: { conditions: ['@varve/source'] } },
  test: {
    include: ['{packages,apps}/*/{src,test}/**/*.long.test.ts', 'tests/*.long.test.ts'],
    globalSetup: ['tests/update-guard.ts', 'tests/temporary-files.ts'],
    setupFiles: ['tests/setup.ts'],
    // A missing golden file fails; only -u writes it.
    update: 'none',
    sequence: { sequencer: ChaosFirst },
    // By default one processor of two stays idle, while most of these tests wait for processes.
    maxWorkers: 2,
    testTimeout: 400_000,
    hookTimeout: 400_000,
    expect: { poll: { timeout: 60_000 } },
    passWithNoTests: true,
  },
});
