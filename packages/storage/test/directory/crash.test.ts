import assert from 'node:assert/strict';
import { StorageError } from '@varve/storage';
import { describe, expect, test } from 'vitest';
import { agentEvent } from '../agent-event.ts';
import { callsOf, checkCrashPoint, storeOver } from '../crash-points.ts';
import { crashedId, crashScenarios } from '../crash-scenarios.ts';
import { type Crash, volatileFiles } from '../volatile-files.ts';

/** Crashes to simulate: a sample of those in `crash.long.test.ts`. */
const crashes: readonly (readonly [name: string, crash: Crash, step: number])[] = [
  ['a kill', 'kill', 4],
  ['a power failure that keeps nothing unsynced', { keep: 0 }, 3],
  ['one that keeps some names of each directory', { keep: 2 }, 11],
  ['one that keeps names but no contents', { keep: Infinity }, 11],
  ['one that keeps anything', { seed: 1 }, 5],
];

describe.for(crashScenarios)('$name', (scenario) => {
  test.for(crashes)('%s at any call loses nothing acknowledged and tears no log', async ([, crash, step]) => {
    const calls = await callsOf(scenario);
    for (let call = 1; call <= calls + 1; call += step) await checkCrashPoint(scenario, { call, crash });
  });

  test('a crash during recovery loses nothing', async () => {
    const calls = await callsOf(scenario);
    for (let call = 3; call <= calls; call += 61) {
      for (let recoveryCall = 1; recoveryCall <= 40; recoveryCall += 7) {
        await checkCrashPoint(scenario, { call, crash: { keep: recoveryCall % 4 }, recoveryCall });
      }
    }
  });

  test('a failure of any call leaves a working store', async () => {
    const calls = await callsOf(scenario);
    const names = new Set([
      'write',
      'append',
      'writeAndFsync',
      'fsync',
      'link',
      'rename',
      'makeDirectory',
      'setModifiedTime',
    ]);
    for (const errno of ['ENOSPC', 'EIO', 'EMFILE', 'EROFS']) {
      const code = errno === 'ENOSPC' ? 'full' : 'io';
      for (let failing = errno.length; failing <= calls; failing += errno === 'ENOSPC' ? 5 : 31) {
        const files = volatileFiles();
        files.failWith(errno, (name) => names.has(name) && files.calls === failing);
        const acknowledged: string[] = [];
        const failed = await scenario.run(storeOver(files), acknowledged).catch((error: unknown) => error);
        assert.ok(failed === undefined || (failed instanceof StorageError && failed.code === code), String(failed));
        await scenario.check(storeOver(files.survivor('kill')), acknowledged);
      }
    }
  });
});

test('a crash while a broken file is moved to quarantine leaves it in one of the two places', async () => {
  const directory = `/srv/root/${crashedId}`;
  const broken = `${directory}/events/event-00001-00000000.json`;
  for (let call = 1; call <= 80; call += 1) {
    const files = volatileFiles();
    await (await storeOver(files).create(crashedId, {})).append([agentEvent(0)]);
    await files.writeAndFsync(broken, 'half an ev');
    await files.fsync(`${directory}/events`);
    files.dieAt(files.calls + call);
    const opened = await storeOver(files)
      .open(crashedId)
      .catch(() => undefined);
    await opened?.append([agentEvent(1)]).catch(() => {});
    const left = files.survivor({ keep: call % 3 });
    const kept = left.list(`${directory}/.varve/quarantine`);
    const paths = [broken, ...kept.map((name) => `${directory}/.varve/quarantine/${name}`)];
    expect(paths.map((path) => left.read(path)?.toString())).toContain('half an ev');
  }
});
