import { expect, test } from 'vitest';
import { timestamps } from '@varve/events';
import { naiveLocal } from './event-query.ts';

test.for([
  ['2026-11-20T23:39:20.680056', '2026-11-20T23:39:20.680056'],
  ['2026-11-20 23:39:20.5', '2026-11-20T23:39:20.500000'],
  ['2026-11-20T23:39:20.123456789', '2026-11-20T23:39:20.123456'],
  ['2026-11-20T23:39:20.000000', '2026-11-20T23:39:20'],
  ['2026-11-20T23:39', '2026-11-20T23:39:00'],
  ['2026-11-20', '2026-11-20T00:00:00'],
])('%s is read as %s', ([text, local]) => {
  expect(naiveLocal(text ?? '')).toBe(local);
});

test('an instant with a zone equals the timestamp of an event of that instant', () => {
  const stamp = timestamps(() => Date.UTC(2026, 6, 1, 12, 0, 0, 250))();
  expect(naiveLocal('2026-07-01T12:00:00.250Z')).toBe(stamp);
  expect(naiveLocal('2026-07-01T14:00:00.250+02:00')).toBe(stamp);
  expect(naiveLocal('2026-07-01T08:30:00.250-0330')).toBe(stamp);
});

test.for(['', 'soon', '2026-13-01', '2026-02-30T00:00:00', '2026-01-01T25:00:00', '20260101', '1763700000'])(
  '"%s" is no instant',
  (text) => {
    expect(naiveLocal(text)).toBeUndefined();
  },
);
