import type { ConversationState } from '@varve/agent';
import type { BaseEvent } from '@varve/events';
import { callFact, partialReplyFact } from '@varve/events/facts';
import { ActionEvent, MessageEvent, ObservationEvent, UserRejectObservation } from '@varve/events/kinds';
import type { Delta } from '@varve/llm';
import { EventFollower, type FollowedEvents } from '../run/event-follower.ts';
import { branchEnd } from './branch-events.ts';
import { eventParts } from './event-parts.ts';
import type { Screen } from './screen.ts';

/** Events of the active branch that are shown of a stored conversation; earlier ones are counted. */
const shownEvents = 200;

/** Log of a conversation that is open, or that another process holds. */
export interface FollowedLog extends FollowedEvents {
  /** Directory of the agent. */
  readonly workspace: string;
  readonly state: Pick<ConversationState, 'head' | 'leafId' | 'stats'> & Partial<Pick<ConversationState, 'pending'>>;
}

/** Adds the events of a conversation to the transcript when they are stored, and what arrives of a reply before. */
export class Follower {
  readonly #screen: Screen;
  readonly #events: EventFollower;

  constructor(conversation: FollowedLog, screen: Screen, from: number) {
    this.#screen = screen;
    const sink = {
      addEvent: (event: BaseEvent) => showEvent(event, conversation, screen),
      addDelta: (delta: Delta) => screen.live.addDelta(delta),
    };
    this.#events = new EventFollower(conversation, sink, from);
  }

  /** Number of events that are shown, or come before those. */
  get shown(): number {
    return this.#events.next;
  }

  /** Shows a piece of a reply when the events before it are shown. */
  addDelta(delta: Delta): void {
    this.#events.addDelta(delta);
    this.#screen.draw();
  }

  /** Resolves when every stored event is shown. */
  async caughtUp(): Promise<void> {
    return this.#events.caughtUp();
  }

  /** Stops. */
  async finish(): Promise<void> {
    return this.#events.finish();
  }
}

/** Shows the end of the active branch of a log. */
export async function showBranch(log: FollowedLog, screen: Screen): Promise<void> {
  const { events, earlier } = await branchEnd(log, shownEvents);
  if (earlier > 0) screen.print(`… ${earlier} earlier events (/history shows all)`, 'dim');
  for (const event of events) showEvent(event, log, screen);
}

function showEvent(event: BaseEvent, { state, workspace }: FollowedLog, screen: Screen): void {
  const { theme, folding, live, footer, status } = screen;
  const isReply = ActionEvent.is(event) || (MessageEvent.is(event) && event.source === 'agent');
  if (isReply || partialReplyFact.read(event)) live.endReply();
  if (ObservationEvent.is(event) || UserRejectObservation.is(event)) live.endOutput();
  if (status.isActive && (isReply || ObservationEvent.is(event))) {
    const [running] = state.pending ?? [];
    status.set(running ? `running ${running.event.tool_name}` : 'waiting for the model');
  }
  const call = callFact.read(event);
  if (call?.usage_id === 'agent' && call.usage) footer.update({ contextTokens: call.usage.input_tokens });
  if (call) footer.update({ usage: state.stats.total });
  screen.add(eventParts(event, { theme, folding, workspace }));
}
