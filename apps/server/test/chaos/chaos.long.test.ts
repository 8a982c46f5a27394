import { describe, expect, test } from 'vitest';
import { programs } from '../../../../packages/storage-postgres/test/server.ts';
import { runChaos } from './run-chaos.ts';

describe.skipIf(programs === undefined)('replicas that fail, and whose database fails', () => {
  test('lose nothing, run no command twice and send every event once', { timeout: 1_200_000 }, async () => {
    const faults: string[] = [];
    const result = await runChaos({
      seconds: 360,
      conversations: 40,
      seed: 7,
      log: (line) => faults.push(line),
    });
    expect(result.violations, faults.join('\n')).toEqual([]);
    expect(result.effects).toBeGreaterThan(0);
  });
});
