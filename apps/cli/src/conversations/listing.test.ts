import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { terminalIo } from '../terminal/terminal-io.ts';
import { age } from './formats.ts';
import { listingLines } from './listing.ts';
import { metaFields } from './meta-fields.ts';

const now = Date.UTC(2026, 5, 15, 12);
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

test.for([
  [0, 'just now'],
  [-hour, 'just now'],
  [minute, '1 min ago'],
  [59 * minute, '59 min ago'],
  [hour, '1 h ago'],
  [day, '1 day ago'],
  [30 * day, '30 days ago'],
  [31 * day, '2026-05-15'],
] as const)('%i ms ago is %j', ([ms, text]) => {
  expect(age(now - ms, now)).toBe(text);
});

test('the cost of a conversation is that of all uses of models, and unknown without a price', () => {
  const usage = { agent: { cost_usd: 0.25 }, title: { cost_usd: 0.5 }, condenser: { calls: 1 } };
  expect(metaFields({ usage }).costUsd).toBe(0.75);
  expect(metaFields({ usage: { agent: { calls: 1 } } })).not.toHaveProperty('costUsd');
});

test('a listing reads each conversation as often, however many there are', () => {
  const stream = new PassThrough();
  const io = terminalIo({ env: {}, cwd: '/', stdin: stream, stdout: stream, stderr: stream });
  const readingsOf = (count: number): number => {
    let readings = 0;
    const summaries = Array.from({ length: count }, (_, n) => ({
      id: String(n),
      createdAt: 0,
      updatedAt: 0,
      meta: {},
      get head() {
        readings += 1;
        return n;
      },
    }));
    expect(listingLines(summaries, io, 0)).toHaveLength(count);
    return readings / count;
  };
  expect(readingsOf(100)).toBe(readingsOf(1));
});
