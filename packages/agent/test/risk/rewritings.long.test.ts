import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asks } from './asks.ts';
import { rewrittenDangers } from './rewritings.ts';

test('no rewriting of a dangerous command, composed five deep, lowers its risk below asking', () => {
  fc.assert(
    fc.property(rewrittenDangers(5), (script) => {
      expect(asks(script)).toBe(true);
    }),
    { numRuns: 20_000 },
  );
});
