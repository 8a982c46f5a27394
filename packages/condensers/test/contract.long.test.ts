import { arbitraryLog, type Log } from '@varve/events/testing';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { condenserContract } from '../src/testing/index.ts';
import { condenserSubjects, viewOf } from './condenser-subjects.ts';

const logs = arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 120 });

describe.for(Object.entries(condenserSubjects))('%s', ([, subject]) => {
  test.for(condenserContract)('many logs: $title', async (check) => {
    await fc.assert(
      fc.asyncProperty(logs, (log) => check.run({ ...subject, view: viewOf(log) })),
      { numRuns: 60 },
    );
  });
});
