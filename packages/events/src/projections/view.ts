import type { EventCodec } from '../codec.ts';
import type { BaseEvent } from '../define-event.ts';
import { maskFact } from '../facts/mask.ts';
import { CondensationRequest } from '../kinds/condensation-request.ts';
import { Condensation } from '../kinds/condensation.ts';
import { HookExecutionEvent } from '../kinds/hook-execution-event.ts';
import { MessageEvent } from '../kinds/message-event.ts';
import type { Projection } from '../fold/projection.ts';
import { stateFields } from './state-fields.ts';
import { forgottenIds, summaryId, withoutForgotten } from './view-changes.ts';
import { withMask } from './view-masks.ts';

/** Events that the model sees: the active branch without forgotten and blocked events, plus summaries. */
export interface View {
  /**
   * Their ids are unique: of events with the same id only the first is included, because condensations forget by id.
   */
  readonly events: readonly BaseEvent[];
  /** True if a condensation was requested and none has followed. */
  readonly isCondensationRequested: boolean;
}

interface ViewState {
  /** Never returned, because it grows in place. */
  events: BaseEvent[];
  /** Ids of `events`. */
  readonly ids: Set<string>;
  /** Ids of messages that hooks stopped. */
  readonly blocked: Set<string>;
  isCondensationRequested: boolean;
  /** The view until the next event: a step reads the view about ten times. */
  view?: View | undefined;
}

interface SavedView {
  readonly events: readonly string[];
  readonly blocked: readonly string[];
  readonly isCondensationRequested: boolean;
}

/** Folds the {@link View} of a branch. Total: any sequence of events has one. */
export function viewProjection(codec: EventCodec): Projection<ViewState, View> {
  return {
    name: 'view',
    version: 3,
    scope: 'branch',
    initial: () => ({ events: [], ids: new Set(), blocked: new Set(), isCondensationRequested: false }),
    apply(state, event) {
      state.view = undefined;
      if (Condensation.is(event)) {
        condense(state, event);
        state.isCondensationRequested = false;
      } else if (CondensationRequest.is(event)) state.isCondensationRequested = true;
      else if (codec.kind(event.kind)?.isForModel) appendEvent(state, event);
      else {
        block(state, blockedBy(event));
        const mask = maskFact.read(event);
        if (mask?.event_ids.some((id) => state.ids.has(id))) state.events = withMask(state.events, mask);
      }
      return state;
    },
    read(state) {
      const { events, isCondensationRequested } = state;
      state.view ??= Object.freeze({ events: Object.freeze(events.slice()), isCondensationRequested });
      return state.view;
    },
    encode: ({ events, blocked, isCondensationRequested }) => ({
      events: events.map((event) => codec.encode(event)),
      blocked: [...blocked],
      isCondensationRequested,
    }),
    decode(json) {
      const { events, blocked, isCondensationRequested } = json as unknown as SavedView;
      const read = events.map((line) => codec.read(line));
      return { events: read, ids: idsOf(read), blocked: new Set(blocked), isCondensationRequested };
    },
  };
}

function idsOf(events: readonly BaseEvent[]): Set<string> {
  return new Set(events.map(({ id }) => id));
}

/** Returns the ids of messages that an event blocks. A hook event may precede or follow its message. */
function blockedBy(event: BaseEvent): readonly string[] {
  if (HookExecutionEvent.is(event)) return event.blocked && event.message_id !== undefined ? [event.message_id] : [];
  return stateFields(event).flatMap(([key, value]) =>
    key === 'blocked_messages' && typeof value === 'object' && value !== null ? Object.keys(value) : [],
  );
}

/** Removes blocked messages for good. The reference sends them to the model one turn later. */
function block(state: ViewState, ids: readonly string[]): void {
  for (const id of ids) state.blocked.add(id);
  const seen = new Set(ids.filter((id) => state.ids.has(id)));
  if (seen.size === 0) return;
  state.events = state.events.filter((event) => {
    if (!seen.has(event.id) || !MessageEvent.is(event)) return true;
    state.ids.delete(event.id);
    return false;
  });
}

/** Forgets events. The ids are updated, not built again: a log may have thousands of condensations of a long view. */
function condense(state: ViewState, condensation: Condensation): void {
  const named = condensation.forgotten_event_ids.filter((id) => state.ids.has(id));
  if (named.length === 0 && condensation.summary === undefined) return;
  const forgotten = forgottenIds(state.events, named);
  const before = state.events.length - forgottenIn(state, forgotten);
  state.events = withoutForgotten(state.events, forgotten, condensation);
  if (state.events.length > before) state.ids.add(summaryId(condensation));
}

/** Removes the ids of forgotten events, and returns their number. */
function forgottenIn({ ids }: ViewState, forgotten: ReadonlySet<string>): number {
  let count = 0;
  for (const id of forgotten) if (ids.delete(id)) count += 1;
  return count;
}

function isBlocked({ blocked }: ViewState, event: BaseEvent): boolean {
  return blocked.has(event.id) && MessageEvent.is(event);
}

function appendEvent(state: ViewState, event: BaseEvent): void {
  if (state.ids.has(event.id) || isBlocked(state, event)) return;
  state.ids.add(event.id);
  state.events.push(event);
}
