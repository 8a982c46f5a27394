import { eventCodec } from '@varve/events';
import {
  ConversationErrorEvent,
  ConversationStateUpdateEvent,
  InterruptEvent,
  MessageEvent,
  PauseEvent,
} from '@varve/events/kinds';
import { statsProjection, statusProjection, Timeline, type Stats, type Status } from '@varve/events/projections';
import type { LogReader, Summary } from '@varve/storage';
import { Lru } from './lru.ts';
import { reportedProjection, type Reported } from './reported.ts';

/** What a conversation's log says that its info shows. Immutable. */
export interface ConversationFold {
  /** Number of events folded. */
  readonly head: number;
  readonly leafId: string | undefined;
  readonly status: Status;
  readonly stats: Stats;
  readonly reported: Reported;
}

/** Folds the logs of a store, and remembers the folds. */
export interface ConversationFolds {
  /** At least as new as the summary. @throws {StorageError} `missing` when the conversation was removed, `io`. */
  of(summary: Summary): Promise<ConversationFold>;
}

/** What is needed of a store. */
interface Logs {
  read(id: string): Promise<Pick<LogReader, 'range'>>;
}

/** More than a page of a listing holds, so that paging through it folds nothing twice. A fold is small: it holds no events. */
const capacity = 256;

/** The only kinds these projections look at: the rest of a log is not worth being checked against its schemas. */
const codec = eventCodec([
  ConversationErrorEvent,
  ConversationStateUpdateEvent,
  InterruptEvent,
  MessageEvent,
  PauseEvent,
]);

const projections = { status: statusProjection, stats: statsProjection, reported: reportedProjection };

interface Folding {
  /** Tells a conversation from a later one of the same id. */
  readonly createdAt: number;
  readonly timeline: Timeline<typeof projections>;
  /** Ends when nobody folds this timeline any more: one at a time may. */
  idle: Promise<unknown>;
}

/** Reads without leases. A conversation whose head has not moved is not read at all, any other from its last head on. */
export function conversationFolds(logs: Logs): ConversationFolds {
  const foldings = new Lru<string, Folding>(capacity);
  return {
    of(summary) {
      const folding = foldingOf(foldings, summary);
      const folded = folding.idle.then(() => fold(logs, summary, folding.timeline));
      folding.idle = folded.catch(() => undefined);
      return folded;
    },
  };
}

function foldingOf(foldings: Lru<string, Folding>, { id, createdAt }: Summary): Folding {
  const known = foldings.get(id);
  if (known?.createdAt === createdAt) return known;
  const fresh = { createdAt, timeline: new Timeline({ codec, projections }), idle: Promise.resolve() };
  foldings.set(id, fresh);
  return fresh;
}

async function fold(logs: Logs, { id, head }: Summary, timeline: Folding['timeline']): Promise<ConversationFold> {
  if (timeline.head < head) {
    const log = await logs.read(id);
    await timeline.load((from) => log.range(from));
  }
  return {
    head: timeline.head,
    leafId: timeline.leafId,
    status: timeline.read('status'),
    stats: timeline.read('stats'),
    reported: timeline.read('reported'),
  };
}
