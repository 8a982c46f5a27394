import type { BaseEvent, EventCodec } from '@varve/events';
import type { SpanFold, SpanSink } from '@varve/events/spans';
import { StorageError, type EventLog } from '@varve/storage';
import { readEvents } from './read-log.ts';

/** Options of {@link SpanFeed}. */
export interface SpanFeedOptions {
  readonly log: EventLog;
  readonly codec: EventCodec;
  /** Number of events that other processes stored, which sent their spans. */
  readonly head: number;
  readonly sink: SpanSink;
}

/** Sends the spans of a conversation to a sink, as its events are stored. */
export class SpanFeed {
  readonly #options: SpanFeedOptions;
  #fold: SpanFold | undefined;
  #next = 0;

  constructor(options: SpanFeedOptions) {
    this.#options = options;
  }

  /**
   * Folds events that were stored from a position on. The first ones of an opened log are preceded by a read of all
   * before them: spans began there. A read that fails is repeated with the next events.
   */
  async stored(events: readonly BaseEvent[], seq: number): Promise<void> {
    const { log, codec, sink } = this.#options;
    // Loaded here, so that conversations without spans start faster.
    const fold = (this.#fold ??= new (await import('@varve/events/spans')).SpanFold(log.id, sink));
    try {
      const earlier = this.#next < seq ? readEvents(log.range(this.#next, seq), codec) : [];
      for await (const each of earlier) this.#apply(each.event, each.seq, fold);
    } catch (error) {
      if (error instanceof StorageError) return;
      throw error;
    }
    for (const [index, event] of events.entries()) this.#apply(event, seq + index, fold);
  }

  #apply(event: BaseEvent, seq: number, fold: SpanFold): void {
    const { head, sink } = this.#options;
    this.#next = seq + 1;
    for (const { kind, span } of fold.apply(event)) {
      if (seq < head) continue;
      if (kind === 'begun') sink.begin?.(span);
      else sink.end(span);
    }
  }
}
