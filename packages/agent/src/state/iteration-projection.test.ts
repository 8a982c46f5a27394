import fc from 'fast-check';
import { test } from 'vitest';
import { builtinKinds, eventCodec } from '@varve/events';
import { arbitraryLog, projectionContract, type Log } from '@varve/events/testing';
import { iterationProjection } from './iteration-projection.ts';

const codec = eventCodec(builtinKinds);

test.for(projectionContract)('$title', (check) => {
  fc.assert(
    fc.property(arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 30 }), (log) =>
      check.run({ projection: iterationProjection, codec, events: log.map(({ text }) => codec.read(text)) }),
    ),
    { numRuns: 50 },
  );
});
