import { expect, test } from 'vitest';
import { age } from './formats.ts';
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
