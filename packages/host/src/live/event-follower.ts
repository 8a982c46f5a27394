import type { readEvents, RunOptions } from '@varve/agent';
import type { BaseEvent } from '@varve/events';
import type { Delta } from '@varve/llm';

/** What receives the events of a conversation. Nothing of it may throw. */
export interface EventSink {
  /** Receives an event when it is stored, with its exact stored JSON. */
  readonly addEvent: (event: BaseEvent, text: string) => void;
  /** Receives a piece of a reply, when all events before it were received. */
  readonly addDelta?: (delta: Delta) => void;
  /** Receives output of a call as it arrives, not masked. */
  readonly addOutput?: NonNullable<RunOptions['onOutput']>;
}

/** Events of a conversation, and their number. */
export interface FollowedEvents {
  readonly state: { readonly head: number };
  /** Yields events from a seq on; with a signal also later ones, until it aborts. */
  readonly events: (options: { readonly from: number; readonly signal?: AbortSignal }) => ReturnType<typeof readEvents>;
}

/** Sends the events of a conversation to a sink when they are stored, and what arrives of a reply before. */
export class EventFollower {
  readonly sink: EventSink;
  readonly #conversation: FollowedEvents;
  readonly #until = new AbortController();
  readonly #following: Promise<void>;
  #next: number;
  readonly #waiting = new Set<() => void>();
  /** Pieces of a reply that came before all events ahead of it were sent. */
  readonly #early: Delta[] = [];

  constructor(conversation: FollowedEvents, sink: EventSink, from: number) {
    this.#conversation = conversation;
    this.sink = sink;
    this.#next = from;
    this.#following = this.#follow();
    // Callers that await it report the failure; a failing store must not end the process before the run reports why.
    this.#following.catch(() => undefined);
  }

  /** Resolves when it has stopped, also by a failure. */
  get ended(): Promise<void> {
    return this.#following.catch(() => undefined);
  }

  /** Number of events that were sent, or come before those. */
  get next(): number {
    return this.#next;
  }

  /** Sends a piece of a reply when the events before it are sent. */
  addDelta(delta: Delta): void {
    if (this.#next < this.#conversation.state.head) this.#early.push(delta);
    else this.sink.addDelta?.(delta);
  }

  /** Resolves when every event of the state is sent. All must be stored: after a failure some may be lost. */
  async caughtUp(): Promise<void> {
    const { head } = this.#conversation.state;
    if (this.#next >= head || this.#until.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = (): void => {
      if (this.#next >= head) resolve();
    };
    this.#waiting.add(check);
    await Promise.race([promise, this.#following]).finally(() => this.#waiting.delete(check));
  }

  /** Stops. Idempotent. @throws what reading the events throws. */
  async finish(): Promise<void> {
    this.#until.abort();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#until;
    for await (const { event, text, seq } of this.#conversation.events({ from: this.#next, signal })) {
      this.sink.addEvent(event, text);
      this.#next = seq + 1;
      if (this.#next >= this.#conversation.state.head) {
        for (const delta of this.#early.splice(0)) this.sink.addDelta?.(delta);
      }
      for (const check of this.#waiting) check();
    }
  }
}
