import fc from 'fast-check';
import { test } from 'vitest';
import { eventCodec } from '../src/codec.ts';
import { builtinKinds } from '../src/kinds/builtin-kinds.ts';
import { arbitraryLog, type Log } from '../src/testing/index.ts';
import { logContract } from './log-contract.ts';

const codec = eventCodec(builtinKinds);

test.for(logContract)('$title', async (check) => {
  await fc.assert(
    fc.asyncProperty(arbitraryLog<fc.Arbitrary<Log>>(fc), (log) => check.run(log, codec)),
    { numRuns: 30 },
  );
});
