import type { BaseEvent, EventCodec } from '@varve/events';
import type { AppendOptions, EventLog } from '@varve/storage';

/** Options of an append; the expected head of the log is known here. */
type DeferredAppendOptions = Omit<AppendOptions, 'expectedHead'> & {
  /** Number of events before the appended ones, deferred events included. */
  readonly head: number;
};

/**
 * A log that can hold events back and store them with the next append, in one transaction. A journal defers the calls
 * that only read and their results, so that the next request is sent before they are stored. That saves two waits for
 * the disk per such step, 0.2 to 0.3 ms each of about 3 ms (docs/benchmarks.md, "agent: own work per step").
 *
 * A failed append loses the deferred events as a whole.
 *
 * @see docs/decisions/0029-deferred-storage-of-reads.md
 */
export class DeferredLog {
  readonly #log: EventLog;
  readonly #codec: EventCodec;
  #unsaved: readonly BaseEvent[] = [];
  #loss = new AbortController();

  constructor(log: EventLog, codec: EventCodec) {
    this.#log = log;
    this.#codec = codec;
  }

  /** Reports whether deferred events are not stored yet. */
  get hasUnsaved(): boolean {
    return this.#unsaved.length > 0;
  }

  /** Aborts with the reason when deferred events are lost. Another signal after {@link resetLoss}. */
  get lossSignal(): AbortSignal {
    return this.#loss.signal;
  }

  /** Holds events back until the next append. */
  defer(events: readonly BaseEvent[]): void {
    this.#unsaved = [...this.#unsaved, ...events];
  }

  /**
   * Stores the deferred events and then `events` in one transaction. Without any event the log is not called.
   *
   * @throws what the log throws; the deferred events are lost then, and {@link lossSignal} aborts if there were any.
   */
  async append(events: readonly BaseEvent[], { head, ...options }: DeferredAppendOptions): Promise<void> {
    const deferred = this.#unsaved;
    const all = [...deferred, ...events];
    if (all.length === 0) return;
    // Encoded here, so that a deferred event costs the next request as little as possible.
    const rows = all.map((event) => ({
      id: event.id,
      kind: event.kind,
      parentId: event.parent_id,
      text: this.#codec.encode(event),
    }));
    try {
      await this.#log.append(rows, { ...options, expectedHead: head - deferred.length });
      this.#unsaved = [];
    } catch (error) {
      this.#unsaved = [];
      if (deferred.length > 0) this.#loss.abort(error);
      throw error;
    }
  }

  /** Stored events from seq `from`, in order. */
  range(from: number): ReturnType<EventLog['range']> {
    return this.#log.range(from);
  }

  /** Accepts appends again after a loss. */
  resetLoss(): void {
    if (this.#loss.signal.aborted) this.#loss = new AbortController();
  }
}
