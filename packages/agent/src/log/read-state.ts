import { eventCodec, type EventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import type { LogReader } from '@varve/storage';
import { conversationTimeline, stateOf, type ConversationState } from './conversation-state.ts';

/** How much of a log is folded, and with which kinds. */
export interface ReadStateOptions {
  /** Default: the built-in kinds. */
  readonly codec?: EventCodec;
  /** Number of events to fold; default all. */
  readonly to?: number;
}

/** The state that a log tells, without taking its lease: for listings, for looking back, for other processes. */
export async function readState(log: LogReader, options: ReadStateOptions = {}): Promise<ConversationState> {
  const { codec = eventCodec(builtinKinds), to } = options;
  const timeline = conversationTimeline(codec);
  await timeline.load((from) => log.range(Math.min(from, to ?? from), to));
  return stateOf(timeline);
}
