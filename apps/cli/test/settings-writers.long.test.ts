import { expect, test } from 'vitest';
import { settingsWriters } from './settings-writers.ts';

test('commands and a server that are killed at any moment lose no setting', async () => {
  for (let round = 0; round < 20; round += 1) {
    // From the start of the process to after its end.
    const kills = [50, 400, undefined, 650, 500].map((ms) => ms && ms + round * 17);
    const { lostServerKeys, commands } = await settingsWriters({
      killCommandsAfterMs: kills,
      serverChanges: 5 + round * 3,
    });
    expect(lostServerKeys).toEqual([]);
    for (const { acknowledged, stored } of commands) expect(stored).toBeGreaterThanOrEqual(acknowledged);
  }
});
