import { describe, expect, test } from 'vitest';
import { problem } from '../../../../packages/storage-postgres/test/server.ts';
import { runChaos } from './run-chaos.ts';

describe.skipIf(problem !== undefined)('replicas that are killed, stopped and cut off from their database', () => {
  test('lose nothing, run no command twice and send every event once', async () => {
    const faults: string[] = [];
    const result = await runChaos({
      seconds: 45,
      conversations: 12,
      seed: 7,
      log: (line) => faults.push(line),
    });
    expect(result.violations, faults.join('\n')).toEqual([]);
    expect(result.effects).toBeGreaterThan(0);
  });
});
