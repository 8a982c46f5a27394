import { expect, test } from 'vitest';
import { lazy } from './lazy.ts';

test('a lazy value is built once, at its first call', () => {
  let built = 0;
  const value = lazy(() => ({ number: (built += 1) }));
  expect(built).toBe(0);
  expect([value(), value()]).toEqual([{ number: 1 }, { number: 1 }]);
});
