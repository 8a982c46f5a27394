import type { readEvents, ConversationState } from '@varve/agent';
import type { BaseEvent } from '@varve/events';
import { callFact, partialReplyFact } from '@varve/events/facts';
import { ActionEvent, MessageEvent, ObservationEvent, UserRejectObservation } from '@varve/events/kinds';
import type { Delta } from '@varve/llm';
import { eventParts } from './event-parts.ts';
import type { Screen } from './screen.ts';

/** Log of a conversation that is open, or that another process holds. */
export interface FollowedLog {
  /** Directory of the agent. */
  readonly workspace: string;
  readonly state: Pick<ConversationState, 'head' | 'stats'>;
  readonly events: (options: { readonly from: number; readonly signal: AbortSignal }) => ReturnType<typeof readEvents>;
}

/** Adds the events of a conversation to the transcript when they are stored, and what arrives of a reply before. */
export class Follower {
  readonly #conversation: FollowedLog;
  readonly #screen: Screen;
  readonly #until = new AbortController();
  readonly #following: Promise<void>;
  #shown: number;
  #reached: (() => void) | undefined;
  /** Pieces of a reply that came before all events ahead of it were shown. */
  readonly #early: Delta[] = [];

  constructor(conversation: FollowedLog, screen: Screen, from: number) {
    this.#conversation = conversation;
    this.#screen = screen;
    this.#shown = from;
    this.#following = this.#follow();
    // Callers that await it report the failure.
    this.#following.catch(() => undefined);
  }

  /** Number of events that are shown, or come before those. */
  get shown(): number {
    return this.#shown;
  }

  /** Shows a piece of a reply when the events before it are shown. */
  addDelta(delta: Delta): void {
    if (this.#shown < this.#conversation.state.head) this.#early.push(delta);
    else this.#screen.live.addDelta(delta);
    this.#screen.draw();
  }

  /** Resolves when every stored event is shown. */
  async caughtUp(): Promise<void> {
    const { head } = this.#conversation.state;
    if (this.#shown >= head || this.#until.signal.aborted) return;
    const reached = new Promise<void>((resolve) => {
      this.#reached = () => this.#shown >= head && resolve();
    });
    await Promise.race([reached, this.#following]);
  }

  /** Stops. */
  async finish(): Promise<void> {
    this.#until.abort();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#until;
    for await (const { event, seq } of this.#conversation.events({ from: this.#shown, signal })) {
      this.#show(event);
      this.#shown = seq + 1;
      if (this.#shown >= this.#conversation.state.head) {
        for (const delta of this.#early.splice(0)) this.#screen.live.addDelta(delta);
      }
      this.#reached?.();
    }
  }

  #show(event: BaseEvent): void {
    const { theme, folding, live, footer } = this.#screen;
    const isReply = ActionEvent.is(event) || (MessageEvent.is(event) && event.source === 'agent');
    if (isReply || partialReplyFact.read(event)) live.endReply();
    if (ObservationEvent.is(event) || UserRejectObservation.is(event)) live.endOutput();
    const call = callFact.read(event);
    if (call?.usage_id === 'agent' && call.usage) footer.update({ contextTokens: call.usage.input_tokens });
    if (call) footer.update({ usage: this.#conversation.state.stats.total });
    this.#screen.add(eventParts(event, { theme, folding, workspace: this.#conversation.workspace }));
  }
}
