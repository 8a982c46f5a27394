import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Clock } from './fault-row.ts';
import { faultRows } from './fault-rows.ts';
import { runFault } from './run-fault.ts';

const all = faultRows.flatMap((row) =>
  (row.protocols ?? (['chat', 'responses'] as const)).flatMap((protocol) =>
    (row.modes ?? (['streamed', 'whole'] as const)).map((mode) => ({
      name: `F${row.fault}: ${row.title} (${protocol}, ${mode})`,
      row,
      variant: { protocol, mode },
    })),
  ),
);

/** Replaces the timers of this package, but not those of Node's sockets. */
function fakeClock(): Clock {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  return {
    async advance(ms) {
      await vi.advanceTimersByTimeAsync(ms);
    },
  };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('on the wire', () => {
  test.for(all)('$name', async ({ row, variant }) => {
    if ('run' in row) await row.run(variant);
    else if ('runTimed' in row) await row.runTimed(variant, fakeClock());
    else await runFault(row, variant);
  });
});

test('every number from 1 to 71 has a row', () => {
  const covered = new Set(faultRows.map(({ fault }) => fault));
  expect([...covered].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 71 }, (_, at) => at + 1));
});
