import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { foldEvents, viewProjection, type View } from '@varve/events/projections';
import type { Log } from '@varve/events/testing';
import {
  amortized,
  browserMasking,
  conversationWindow,
  discardAll,
  inOrder,
  llmAttention,
  llmSummary,
  noCondensation,
  observationMasking,
  recent,
  rollingWindow,
  structuredSummary,
} from '../src/index.ts';
import type { CondenserSubject } from '../src/testing/condenser-contract.ts';

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
  'rollingWindow, by tokens': {
    condenser: rollingWindow({ maxEvents: 1_000, windowShare: 0.5 }),
    meetsDemands: true,
    maxInputTokens: 2_000,
  },
  amortized: { condenser: amortized({ maxEvents: 12 }), meetsDemands: true },
  recent: { condenser: recent({ maxEvents: 12 }), meetsDemands: true },
  conversationWindow: { condenser: conversationWindow(), meetsDemands: true },
  discardAll: { condenser: discardAll({ maxEvents: 12 }), meetsDemands: true },
  'discardAll, by tokens': { condenser: discardAll(), meetsDemands: true, maxInputTokens: 2_000 },
  observationMasking: { condenser: observationMasking({ attentionWindow: 3 }), meetsDemands: false },
  browserMasking: { condenser: browserMasking(), meetsDemands: false },
  llmSummary: { condenser: llmSummary({ maxEvents: 12 }), meetsDemands: true },
  'llmSummary, by tokens': { condenser: llmSummary(), meetsDemands: true, maxInputTokens: 2_000 },
  structuredSummary: {
    condenser: structuredSummary({ maxEvents: 12 }),
    meetsDemands: true,
    reply: { name: 'record_state', arguments: { user_context: 'The user wants bread.', next_step: 'Buy flour.' } },
  },
  llmAttention: {
    condenser: llmAttention({ maxEvents: 12 }),
    meetsDemands: true,
    reply: { name: 'rank_events', arguments: { ids: ['e3', 'e9', 'e4', 'e4', 'e999'] } },
  },
  'inOrder, masking first': {
    condenser: inOrder([observationMasking({ attentionWindow: 3 }), browserMasking(), llmSummary({ maxEvents: 12 })]),
    meetsDemands: true,
  },
  'inOrder of none': { condenser: inOrder([]), meetsDemands: false },
};
