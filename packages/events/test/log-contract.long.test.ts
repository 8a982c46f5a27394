import fc from 'fast-check';
import { describe, test } from 'vitest';
import { eventCodec } from '../src/codec.ts';
import { builtinKinds } from '../src/kinds/builtin-kinds.ts';
import { arbitraryLog, projectionContract, type Log } from '../src/testing/index.ts';
import { logContract } from './log-contract.ts';
import { stateProjections } from './state-projections.ts';

const codec = eventCodec(builtinKinds);
const logs = arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 120 });

test.for(logContract)('many logs: $title', async (check) => {
  await fc.assert(
    fc.asyncProperty(logs, (log) => check.run(log, codec)),
    { numRuns: 300 },
  );
});

describe.for(Object.entries(stateProjections(codec)))('%s', ([, projection]) => {
  test.for(projectionContract)('many logs: $title', (check) => {
    fc.assert(
      fc.property(logs, (log) => check.run({ projection, codec, events: log.map(({ text }) => codec.read(text)) })),
      { numRuns: 150 },
    );
  });
});
