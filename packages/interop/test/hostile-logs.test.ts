import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkReading } from './check-reading.ts';
import { filesOf } from './fixture.ts';
import { arbitraryHostileFiles, samples } from './hostile-logs.ts';

test.for(samples)(
  '$name of $format is read, and any change of it is refused or read as a legal log',
  async (sample) => {
    const { format, name, texts } = sample;
    expect(await checkReading(filesOf(name, texts), format)).toBe('read');
    await fc.assert(
      fc.asyncProperty(arbitraryHostileFiles(sample), (files) => checkReading(files, format).then(() => true)),
      { numRuns: 8 },
    );
  },
);
