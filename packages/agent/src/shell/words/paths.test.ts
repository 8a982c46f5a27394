import { posix } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalPath } from './paths.ts';

test('the normal form of any path is that of Node', () => {
  const path = fc
    .array(fc.constantFrom('/', '//', '.', '..', '../', './', 'a', 'b/', '...', '~'))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(path, (text) => {
      expect(normalPath(text)).toBe(posix.normalize(text));
    }),
    { numRuns: 5000 },
  );
});

// Node needs 17 s for 400,000 characters: its time is proportional to the square of the length.
test.for(['../', '/..', 'a/../', '../a/'])('a path of %j a million times has its normal form', (part) => {
  expect(normalPath(part.repeat(1_000_000)).length).toBeLessThanOrEqual(part.length * 1_000_000);
});
