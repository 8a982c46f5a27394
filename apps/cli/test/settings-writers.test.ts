import { expect, test } from 'vitest';
import { settingsWriters } from './settings-writers.ts';

test('two commands and a server that is killed change one data directory, and no setting is lost', async () => {
  const { lostServerKeys, commands } = await settingsWriters({ killCommandsAfterMs: [undefined], serverChanges: 8 });
  expect(lostServerKeys).toEqual([]);
  expect(commands).toEqual([
    { acknowledged: 1, stored: 1 },
    { acknowledged: 1, stored: 1 },
  ]);
});
