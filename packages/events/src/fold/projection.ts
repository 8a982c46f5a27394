import type { BaseEvent } from '../define-event.ts';
import type { Json } from '../json.ts';

/**
 * A pure left fold over the events of a conversation.
 *
 * `scope: 'log'` sees every event in seq order. `scope: 'branch'` sees the events on the path from the root to the head
 * of the event tree, and every state update and hook execution (they name the events they are about, so those of other
 * branches say nothing here), in seq order. When the head moves to another branch the driver folds again.
 *
 * Events are as they were read: of a kind that is known only the declared fields are checked, payloads (`action`,
 * `observation`, the `value` of a state update) are any JSON of their kind, and ids may occur twice.
 */
export interface Projection<State, View = State> {
  /** Never empty. */
  readonly name: string;
  /** An integer of 1 or more. Raised whenever the same events may give another view. Snapshots of other versions are ignored. */
  readonly version: number;
  readonly scope: 'log' | 'branch';
  /** A fresh state, owned by whoever folds. */
  initial(): State;
  /**
   * May change the state it was given and return it; must change nothing else, and must not throw on any event. `seq`
   * is the event's place in the log: it rises, with gaps where a branch leaves events out.
   */
  apply(state: State, event: BaseEvent, seq: number): State;
  /** The only thing that leaves the fold: immutable, and unchanged by later calls of `apply`. Changes no state. */
  read(state: State): View;
  /**
   * JSON that later calls of `apply` leave as it is. `decode` of it, after a round trip as text, behaves like `state`.
   * Snapshots are caches: any may be deleted.
   */
  encode(state: State): Json;
  /** Owns the JSON, which is what {@link encode} gave: drivers check that. When it throws they fold from the start. */
  decode(json: Json): State;
}

/** The view a projection gives. */
export type ViewOf<P> = P extends { read(state: never): infer View } ? View : never;

/** Folds events from nothing. For tests and one-off reads; `Timeline` keeps folding as a log grows. */
export function foldEvents<State, View>(projection: Projection<State, View>, events: Iterable<BaseEvent>): View {
  let state = projection.initial();
  let seq = 0;
  for (const event of events) state = projection.apply(state, event, seq++);
  return projection.read(state);
}
