import { expect, test } from 'vitest';
import { pauseWithout } from './pauses.ts';

const outages = [
  { from: 30, to: 50 },
  { from: 20, to: 40 },
];

test.for([
  [0, 10, 10],
  [0, 60, 20],
  [25, 70, 20],
  [25, 45, 0],
  [60, 75, 15],
])('of a pause from %d to %d, %d are without an outage', ([from = 0, to = 0, expected]) => {
  expect(pauseWithout({ from, to }, outages)).toBe(expected);
});
