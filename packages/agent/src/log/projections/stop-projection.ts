import { importFact } from '@varve/events/facts';
import { ConversationStateUpdateEvent, HookExecutionEvent, MessageEvent } from '@varve/events/kinds';
import { statusKey, type Projection } from '@varve/events/projections';

/** Stop hooks since the last message of the user. */
export interface Stops {
  /** Number of times that they denied the end. */
  readonly denials: number;
  /** True if they decided about the current end, in this or an earlier process. */
  readonly isDecided: boolean;
}

const none: Stops = { denials: 0, isDecided: false };

/** Folds the decisions of Stop hooks. Those of an imported log do not count: its hooks are not those of this store. */
export const stopProjection: Projection<Stops> = {
  name: 'stop-hooks',
  version: 2,
  scope: 'log',
  initial: () => none,
  apply(state, event) {
    if (MessageEvent.is(event)) return event.source === 'user' ? none : state;
    if (HookExecutionEvent.is(event)) {
      if (event.hook_event_type !== 'Stop') return state;
      return { denials: state.denials + (event.blocked ? 1 : 0), isDecided: true };
    }
    if (!ConversationStateUpdateEvent.is(event)) return state;
    if (importFact.read(event)) return none;
    return state.isDecided && event.key === statusKey ? { ...state, isDecided: false } : state;
  },
  read: (state) => Object.freeze({ ...state }),
  encode: ({ denials, isDecided }) => ({ denials, isDecided }),
  decode: (json) => json as unknown as Stops,
};
