import fc from 'fast-check';
import { test } from 'vitest';
import { checkReading } from './check-reading.ts';
import { arbitraryHostileFiles, samples } from './hostile-logs.ts';

test.for(samples)('hundreds of changes of $name of $format are refused or read as legal logs', async (sample) => {
  await fc.assert(
    fc.asyncProperty(arbitraryHostileFiles(sample), (files) => checkReading(files, sample.format).then(() => true)),
    { numRuns: 400 },
  );
});
