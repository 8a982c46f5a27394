import type { BaseEvent } from '../define-event.ts';
import type { Json } from '../json.ts';

/**
 * Pure left fold over the events of a conversation.
 *
 * `scope: 'log'` receives every event in seq order. `scope: 'branch'` receives, in seq order, the events on the path
 * from the root to the head of the event tree, and every state update and hook execution: these name their subjects, so
 * those of other branches have no effect. If the head moves to another branch, the driver folds again.
 *
 * Events are as they were read: only declared fields of known kinds are checked, payloads (`action`, `observation`, the
 * `value` of a state update) are any JSON of their kind, and ids may occur twice.
 */
export interface Projection<State, View = State> {
  /** Never empty. */
  readonly name: string;
  /**
   * Positive integer. Increased whenever the same events may fold to another view. Snapshots of other versions are
   * ignored.
   */
  readonly version: number;
  readonly scope: 'log' | 'branch';
  /** Creates a state, which the caller owns. */
  initial(): State;
  /**
   * Applies an event. May change the given state and return it. Must change nothing else, and must not throw for any
   * event. `seq` is the position of the event in the log: it increases, with gaps where a branch omits events.
   */
  apply(state: State, event: BaseEvent, seq: number): State;
  /** Returns the view of a state: immutable, and unaffected by later calls of `apply`. Does not change the state. */
  read(state: State): View;
  /**
   * Returns the state as JSON that later calls of `apply` do not change. After a round trip as text, `decode` must
   * return an equivalent state. Snapshots are caches: any may be deleted.
   */
  encode(state: State): Json;
  /** Restores a state from the result of {@link encode}; owns the JSON. If it throws, drivers fold from the start. */
  decode(json: Json): State;
}

/** View of a projection. */
export type ViewOf<P> = P extends { read(state: never): infer View } ? View : never;

/** Folds events from the initial state. For tests and one-off reads; use `Timeline` to follow a growing log. */
export function foldEvents<State, View>(projection: Projection<State, View>, events: Iterable<BaseEvent>): View {
  let state = projection.initial();
  let seq = 0;
  for (const event of events) state = projection.apply(state, event, seq++);
  return projection.read(state);
}
