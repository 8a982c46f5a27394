import { expect, test } from 'vitest';
import { callsOf, checkCrashPoint } from '../crash-points.ts';
import { crashScenarios } from '../crash-scenarios.ts';
import type { Crash } from '../volatile-files.ts';

const seeds = Array.from({ length: 8 }, (_, seed): Crash => ({ seed: seed + 11 }));
const crashes: readonly Crash[] = ['kill', ...[0, 1, 2, 3, Infinity].map((keep) => ({ keep })), ...seeds];

test('at more than 5,000 crash points nothing acknowledged is lost and no log is torn', async () => {
  let points = 0;
  for (const scenario of crashScenarios) {
    const calls = await callsOf(scenario);
    for (const [index, crash] of crashes.entries()) {
      for (let call = 1; call <= calls + 1; call += 1) {
        await checkCrashPoint(scenario, { call, crash });
        // At every seventh call, a first recovery crashes too.
        if (call % 7 === index % 7) await checkCrashPoint(scenario, { call, crash, recoveryCall: 1 + (call % 60) });
        points += call % 7 === index % 7 ? 2 : 1;
      }
    }
  }
  expect(points).toBeGreaterThanOrEqual(5000);
});
