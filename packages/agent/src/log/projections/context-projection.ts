import { freezeJson, type BaseEvent, type EventCodec, type Json } from '@varve/events';
import { callFact, condensationFact, importFact, maskFact } from '@varve/events/facts';
import { ActionEvent, Condensation, ConversationStateUpdateEvent, MessageEvent } from '@varve/events/kinds';
import type { Projection } from '@varve/events/projections';

/** What the log shows about the size of the requests of a branch, and about attempts to shorten them. */
export interface ContextState {
  /** Factor between estimated and counted tokens when the view was last condensed; 1 before. */
  readonly scale: number;
  /** Last request whose tokens the model's server counted; absent since a condensation. */
  readonly counted?: {
    readonly tokens: number;
    /** Id of the last event of the view in that request. */
    readonly until: string;
  };
  /** Number of attempts to condense that failed since the last condensation. */
  readonly failures: number;
}

interface FoldState extends ContextState {
  /** Id of the last event that the model may see. */
  readonly last: string;
  /** A counted request whose reply, the event `first`, has not been folded: it may be on another branch. */
  readonly open?: { readonly tokens: number; readonly until: string; readonly first: string };
}

const initial: FoldState = { scale: 1, failures: 0, last: '' };

/**
 * Folds the {@link ContextState} of a branch. That of an imported log does not count: another model may have written
 * it.
 */
export function contextProjection(codec: EventCodec): Projection<FoldState, ContextState> {
  return {
    name: 'context',
    version: 2,
    scope: 'branch',
    initial: () => initial,
    apply(state, event) {
      if (ConversationStateUpdateEvent.is(event)) return withFact(state, event);
      if (Condensation.is(event)) return uncounted(state);
      if (!codec.kind(event.kind)?.isForModel) return state;
      return { ...confirmed(state, event), last: event.id };
    },
    read: ({ scale, counted, failures }) => freezeJson({ scale, failures, ...(counted && { counted }) }),
    encode: (state) => state as unknown as Json,
    decode: (json) => json as unknown as FoldState,
  };
}

/** The reply to a counted request is on this branch, so the request was. */
function confirmed({ open, ...state }: FoldState, event: BaseEvent): FoldState {
  if (open?.first !== event.id || !(ActionEvent.is(event) || MessageEvent.is(event))) return state;
  return { ...state, counted: { tokens: open.tokens, until: open.until } };
}

function uncounted({ open: _open, counted: _counted, ...state }: FoldState): FoldState {
  return { ...state, failures: 0 };
}

function withFact(state: FoldState, event: ConversationStateUpdateEvent): FoldState {
  switch (event.key) {
    case callFact.key:
      return withCall(state, event);
    case importFact.key:
      return importFact.read(event) ? { ...initial, last: state.last } : state;
    case maskFact.key:
      return uncounted(state);
    case condensationFact.key: {
      const fact = condensationFact.read(event);
      if (!fact) return state;
      const { scale } = fact;
      return fact.tokens_after === undefined ? { ...state, failures: state.failures + 1 } : { ...state, scale };
    }
    default:
      return state;
  }
}

/** The values are checked by hand, because every reply of a log passes here, and the facts are parsed elsewhere. */
function withCall(state: FoldState, { value }: ConversationStateUpdateEvent): FoldState {
  // Any JSON, also null.
  const call = Object(value) as {
    readonly usage_id?: unknown;
    readonly usage?: { readonly input_tokens?: unknown };
    readonly actions?: readonly unknown[];
    readonly message_id?: unknown;
  };
  const tokens = call.usage?.input_tokens;
  const [first = call.message_id] = Array.isArray(call.actions) ? (call.actions as readonly unknown[]) : [];
  if (call.usage_id !== 'agent' || typeof tokens !== 'number' || typeof first !== 'string') return state;
  return { ...state, open: { tokens, until: state.last, first } };
}
