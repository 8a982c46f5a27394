import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Clock } from './fault-row.ts';
import { faultRows } from './fault-rows.ts';
import { runFault } from './run-fault.ts';

const all = faultRows.flatMap((row) =>
  (row.over ?? (['chat', 'responses'] as const)).flatMap((protocol) =>
    (row.ways ?? (['streamed', 'whole'] as const)).map((way) => ({
      name: `F${row.fault}: ${row.title} (${protocol}, ${way})`,
      row,
      stage: { protocol, way },
    })),
  ),
);

/** Takes the timers of this package and leaves those of Node's own sockets. */
function stoppedClock(): Clock {
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
  test.for(all)('$name', async ({ row, stage }) => {
    if ('play' in row) await row.play(stage);
    else if ('playTimed' in row) await row.playTimed(stage, stoppedClock());
    else await runFault(row, stage);
  });
});

test('every fault has a row, and every row a fault', () => {
  const played = new Set(faultRows.map(({ fault }) => fault));
  expect([...played].toSorted((one, other) => one - other)).toEqual(Array.from({ length: 68 }, (_, at) => at + 1));
});
