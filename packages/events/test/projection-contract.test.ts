import fc from 'fast-check';
import { describe, test } from 'vitest';
import { eventCodec } from '../src/codec.ts';
import { builtinKinds } from '../src/kinds/builtin-kinds.ts';
import { arbitraryLog, projectionContract, type Log } from '../src/testing/index.ts';
import { stateProjections } from './state-projections.ts';

const codec = eventCodec(builtinKinds);

describe.for(Object.entries(stateProjections(codec)))('%s', ([, projection]) => {
  test.for(projectionContract)('$title', (check) => {
    fc.assert(
      fc.property(arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 40 }), (log) =>
        check.run({ projection, codec, events: log.map(({ text }) => codec.read(text)) }),
      ),
      { numRuns: 15 },
    );
  });
});
