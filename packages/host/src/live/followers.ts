import type { RunOptions } from '@varve/agent';
import type { Delta } from '@varve/llm';
import { EventFollower, type EventSink, type FollowedEvents } from './event-follower.ts';

/** Those that follow a conversation: they receive its events, and what its runs do before events are stored. */
export class Followers {
  readonly #conversation: FollowedEvents;
  readonly #deltas: () => ((delta: Delta) => void) | undefined;
  readonly #followers = new Set<EventFollower>();
  /** Pieces of the reply that arrives, and the number of events before it. */
  #reply: { readonly head: number; readonly pieces: Delta[] } = { head: 0, pieces: [] };

  /** @param deltas Returns what receives pieces of replies in addition to the followers. */
  constructor(conversation: FollowedEvents, deltas: () => ((delta: Delta) => void) | undefined) {
    this.#conversation = conversation;
    this.#deltas = deltas;
  }

  /** Adds one, which receives the events from a seq on until it finishes, and what has arrived of a reply. */
  add(sink: EventSink, from: number): EventFollower {
    const follower = new EventFollower(this.#conversation, sink, from);
    this.#followers.add(follower);
    const { head, pieces } = this.#reply;
    if (sink.addDelta && head === this.#conversation.state.head) for (const piece of pieces) follower.addDelta(piece);
    void follower.ended.then(() => this.#followers.delete(follower));
    return follower;
  }

  /** Resolves when all have received every event of the state. One that failed is not waited for. */
  async caughtUp(): Promise<void> {
    // Called between replies and at the end of a run: nothing of a reply is missing.
    this.#reply = { head: 0, pieces: [] };
    await Promise.allSettled([...this.#followers].map(async (follower) => follower.caughtUp()));
  }

  /** Stops all. */
  async finish(): Promise<void> {
    await Promise.allSettled([...this.#followers].map(async (follower) => follower.finish()));
  }

  /** Callbacks of a run. Only those that a follower listens to, since a model is asked to stream for them. */
  get callbacks(): Pick<RunOptions, 'onDelta' | 'onOutput'> {
    const deltas = this.#deltas();
    const isHeard = deltas !== undefined || [...this.#followers].some(({ sink }) => sink.addDelta);
    const watchers = [...this.#followers].filter(({ sink }) => sink.addOutput);
    return {
      ...(isHeard && {
        onDelta: (delta) => {
          deltas?.(delta);
          this.#keep(delta);
          for (const follower of this.#followers) if (follower.sink.addDelta) follower.addDelta(delta);
        },
      }),
      ...(watchers.length > 0 && {
        onOutput: (...output) => {
          for (const { sink } of watchers) sink.addOutput?.(...output);
        },
      }),
    };
  }

  #keep(delta: Delta): void {
    const { head } = this.#conversation.state;
    if (head !== this.#reply.head || delta.kind === 'reset') this.#reply = { head, pieces: [] };
    if (delta.kind !== 'reset') this.#reply.pieces.push(delta);
  }
}
