import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { foldEvents, viewProjection, type View } from '@varve/events/projections';
import { arbitraryLog, type Log } from '@varve/events/testing';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import type { Condenser } from './condenser.ts';
import { inOrder, noCondensation, rollingWindow } from './index.ts';
import { condenserContract } from './testing/index.ts';

const codec = eventCodec(builtinKinds);
const viewOf = (log: Log): View =>
  foldEvents(
    viewProjection(codec),
    log.map(({ text }) => codec.read(text)),
  );

/** Every condenser: add its line here. */
const condensers: Readonly<Record<string, { readonly condenser: Condenser; readonly meetsDemands: boolean }>> = {
  noCondensation: { condenser: noCondensation(), meetsDemands: false },
  rollingWindow: { condenser: rollingWindow({ maxEvents: 12 }), meetsDemands: true },
  'rollingWindow, tight': { condenser: rollingWindow({ maxEvents: 3, keepFirst: 0, keepLast: 1 }), meetsDemands: true },
  'rollingWindow, wide': {
    condenser: rollingWindow({ maxEvents: 40, keepFirst: 10, keepLast: 25 }),
    meetsDemands: true,
  },
  inOrder: { condenser: inOrder([noCondensation(), rollingWindow({ maxEvents: 12 })]), meetsDemands: true },
  'inOrder of none': { condenser: inOrder([]), meetsDemands: false },
};

describe.for(Object.entries(condensers))('%s', ([, subject]) => {
  test.for(condenserContract)('$title', async (check) => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog<fc.Arbitrary<Log>>(fc), (log) => check.run({ ...subject, view: viewOf(log) })),
      { numRuns: 100 },
    );
  });
});
