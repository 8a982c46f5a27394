import fc from 'fast-check';
import { test } from 'vitest';
import { eventCodec } from '../codec.ts';
import { builtinKinds } from '../kinds/builtin-kinds.ts';
import { arbitraryLog, logContract, type Log } from '../testing/index.ts';

const codec = eventCodec(builtinKinds);

test.for(logContract)('$title', async (check) => {
  await fc.assert(
    fc.asyncProperty(arbitraryLog<fc.Arbitrary<Log>>(fc), (log) => check.run(log, codec)),
    { numRuns: 30 },
  );
});
