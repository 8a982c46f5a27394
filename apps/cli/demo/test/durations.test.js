import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration } from '../src/format-duration.js';
import { parseDuration } from '../src/parse-duration.js';

test('parses single units', () => {
  assert.equal(parseDuration('2h'), 7_200_000);
  assert.equal(parseDuration('45s'), 45_000);
});

test('adds several units', () => {
  assert.equal(parseDuration('1h 30m'), 5_400_000);
});

test('parses milliseconds', () => {
  assert.equal(parseDuration('250ms'), 250);
});

test('reads back what it formats', () => {
  for (const value of [0, 1, 999, 1000, 61_001, 90_061_007]) assert.equal(parseDuration(formatDuration(value)), value);
});

test('rejects what is not a duration', () => {
  assert.throws(() => parseDuration('soon'), /not a duration/);
});
