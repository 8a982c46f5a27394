import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { timestampAfter, timestamps } from './index.ts';

const zone = process.env['TZ'];
beforeEach(() => {
  process.env['TZ'] = 'Europe/Berlin';
});
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const clock = (...times: readonly number[]) => {
  const left = [...times];
  return () => left.shift() ?? times.at(-1) ?? 0;
};
const summer = Date.UTC(2026, 6, 1, 10, 0, 0, 123);

test('is local time with microseconds', () => {
  expect(timestamps(clock(summer))()).toBe('2026-07-01T12:00:00.123000');
});

test('fractions of milliseconds are kept', () => {
  expect(timestamps(clock(summer + 0.4567))()).toBe('2026-07-01T12:00:00.123456');
});

test('a clock that stops or is set back adds one microsecond', () => {
  const next = timestamps(clock(summer, summer, summer - 5000));
  expect([next(), next(), next()].map((time) => time.slice(-6))).toEqual(['123000', '123001', '123002']);
});

test('continues after the last timestamp of a log', () => {
  expect(timestamps(clock(summer), '2026-07-01T12:00:00.999999')()).toBe('2026-07-01T12:00:01.000000');
  expect(timestamps(clock(summer), '2026-07-01T12:00:05')()).toBe('2026-07-01T12:00:05.000001');
  expect(timestamps(clock(summer), '2026-07-01T12:00:05.5Z')()).toBe('2026-07-01T12:00:05.500001');
  expect(timestamps(clock(summer), '2026-07-01T11:00:00.000000')()).toBe('2026-07-01T12:00:00.123000');
});

test.for(['', 'yesterday', '2026-01-01T12:00:00.x', '2026-13-45T99:99:99.000000'])(
  '%j as the last timestamp is ignored',
  (after) => {
    expect(timestamps(clock(summer), after)()).toBe('2026-07-01T12:00:00.123000');
  },
);

test('the repeated hour in autumn stays in order', () => {
  const before = Date.UTC(2026, 9, 25, 0, 59, 59);
  const next = timestamps(clock(before, before + 2000, before + 3_600_000 + 1000));
  expect([next(), next(), next()]).toEqual([
    '2026-10-25T02:59:59.000000',
    '2026-10-25T02:59:59.000001',
    '2026-10-25T03:00:00.000000',
  ]);
});

test('the skipped hour in spring is skipped', () => {
  const before = Date.UTC(2026, 2, 29, 0, 59, 59);
  const next = timestamps(clock(before, before + 1000));
  expect([next(), next()]).toEqual(['2026-03-29T01:59:59.000000', '2026-03-29T03:00:00.000000']);
});

test('texts sort in the order of the calls for any clock', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 4e12, noNaN: true }), { minLength: 2 }), (times) => {
      const next = timestamps(clock(...times));
      const texts = times.map(() => next());
      expect(texts).toEqual([...new Set(texts)].toSorted());
      for (const text of texts) expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
    }),
  );
});

/** Times of any year that a timestamp can have, as a log of another person may contain them. */
const anyTime = fc.oneof(
  fc.record({
    ms: fc.date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:58Z'), noInvalidDate: true }),
    micros: fc.nat(999),
  }),
  fc.record({ ms: fc.constant(new Date('9999-12-31T23:59:59.999Z')), micros: fc.nat(999) }),
);

test('timestamps after any other are valid and in order, until the last second of the year 9999', () => {
  fc.assert(
    fc.property(anyTime, ({ ms, micros }) => {
      const last = `${ms.toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}`;
      const next = timestamps(clock(summer), last);
      const texts = [last, next(), next(), timestampAfter(last, last)];
      for (const text of texts) expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
      const isEnd = last > '9999-12-31T23:59:58';
      expect(isEnd || (texts[0] ?? '') < (texts[1] ?? '')).toBe(true);
      expect(isEnd || (texts[1] ?? '') < (texts[2] ?? '')).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('a foreign time is kept if it is later than the last event, and otherwise follows it', () => {
  const last = '2026-07-01T12:00:00.000000';
  expect(timestampAfter('2026-07-01T12:00:01.5', last)).toBe('2026-07-01T12:00:01.500000');
  expect(timestampAfter(summer, '')).toBe('2026-07-01T12:00:00.123000');
  for (const time of [last, '2020-01-01T00:00:00', 'never', Number.NaN, Infinity]) {
    expect(timestampAfter(time, last)).toBe('2026-07-01T12:00:00.000001');
  }
});
