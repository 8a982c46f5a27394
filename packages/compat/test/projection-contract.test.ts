import fc from 'fast-check';
import { describe, test } from 'vitest';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { arbitraryLog, projectionContract, type Log } from '@varve/events/testing';
import { countsProjection } from '../src/folds/counts.ts';
import { fieldsProjection } from '../src/folds/fields.ts';

const codec = eventCodec(builtinKinds);

describe.for(Object.entries({ counts: countsProjection, fields: fieldsProjection }))('%s', ([, projection]) => {
  test.for(projectionContract)('$title', (check) => {
    fc.assert(
      fc.property(arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 40 }), (log) =>
        check.run({ projection, codec, events: log.map(({ text }) => codec.read(text)) }),
      ),
      { numRuns: 15 },
    );
  });
});
