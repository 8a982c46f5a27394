import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asks } from './asks.ts';
import { danger, dangers, quoted, rewritings, rewrittenDangers } from './rewritings.ts';

test('a dangerous command in any spelling is asked about', () => {
  fc.assert(
    fc.property(danger, (script) => {
      expect(asks(script)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('each dangerous command in each rewriting is asked about', () => {
  const missed = dangers.flatMap(({ words, to }) => {
    const plain = [
      ...words.map((word) => (/^[\w./:=-]+$/.test(word) ? word : quoted(word))),
      ...(to === undefined ? [] : [`> ${to}`]),
    ].join(' ');
    return rewritings.map((rewrite) => rewrite(plain)).filter((script) => !asks(script));
  });
  expect(missed).toEqual([]);
});

test('no rewriting of a dangerous command, composed three deep, lowers its risk below asking', () => {
  fc.assert(
    fc.property(rewrittenDangers(3), (script) => {
      expect(asks(script)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
