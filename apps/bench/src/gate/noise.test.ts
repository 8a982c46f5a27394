import { expect, test } from 'vitest';
import { spreadOf, verdictOf } from './noise.ts';

const pairs = (...ratios: number[]) => verdictOf(spreadOf(ratios));

test('the range leaves out the two smallest and largest of twelve ratios', () => {
  const ratios = [12, 1, 11, 2, 10, 3, 9, 4, 8, 5, 7, 6];
  expect(spreadOf(ratios)).toEqual({ median: 6.5, low: 3, high: 10 });
});

test('a cost is worse if almost all pairs are, whatever disturbed the others', () => {
  expect(pairs(1.1, 1.1, 1.2, 1.1, 1.3, 1.1, 1.2, 1.1, 1.1, 1.1, 0.4, 0.3)).toBe('worse');
  expect(pairs(1.1, 1.1, 1.2, 1.1, 1.3, 1.1, 1.2, 1.1, 1.1, 0.9, 0.4, 0.3)).toBe('');
  expect(pairs(1.1, 0.9, 1.2, 0.8, 1.3, 0.7, 1.2, 0.9, 1.1, 0.9, 0.9, 1.1)).toBe('');
  expect(pairs(0.9, 0.9, 0.9, 0.8, 0.9, 0.7, 0.9, 0.9, 0.9, 0.9, 3, 9)).toBe('better');
});

test('a difference of one per cent is not reported', () => {
  expect(pairs(...Array.from({ length: 12 }, () => 1.01))).toBe('');
});
