import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { foldEvents, viewProjection, type View } from '@varve/events/projections';
import type { Log } from '@varve/events/testing';
import { inOrder, noCondensation, rollingWindow } from '../src/index.ts';
import type { CondenserSubject } from '../src/testing/index.ts';

const codec = eventCodec(builtinKinds);

/** Returns the view of a log. */
export function viewOf(log: Log): View {
  return foldEvents(
    viewProjection(codec),
    log.map(({ text }) => codec.read(text)),
  );
}

/** Every condenser by its name in a test title: add its line here. */
export const condenserSubjects: Readonly<Record<string, Omit<CondenserSubject, 'view'>>> = {
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
