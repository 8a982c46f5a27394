import { arbitraryLog, type Log } from '@varve/events/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { condenserFromSpec } from '../src/index.ts';
import { condenserContract } from '../src/testing/index.ts';
import { condenserSubjects, viewOf } from './condenser-subjects.ts';

// Folded once for all condensers. Many more logs, shrunk when a check fails, are in contract.long.test.ts.
const views = fc.sample(arbitraryLog<fc.Arbitrary<Log>>(fc), { numRuns: 25, seed: 7 }).map(viewOf);

describe.for(Object.entries(condenserSubjects))('%s', ([, subject]) => {
  test.for(condenserContract)('$title', async (check) => {
    for (const view of views) await check.run({ ...subject, view });
  });

  test('is built again from its spec', () => {
    const { spec } = subject.condenser;
    expect(condenserFromSpec(spec).spec).toEqual(spec);
  });
});
