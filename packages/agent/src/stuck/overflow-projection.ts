import { textOf } from '@varve/events';
import { ActionEvent, CondensationRequest, ConversationStateUpdateEvent, MessageEvent } from '@varve/events/kinds';
import { statusKey, type Projection } from '@varve/events/projections';

/** How a conversation keeps running out of its context. */
export interface Overflow {
  /** Times in a row that the context was too long again one reply after it had been made smaller. */
  readonly streak: number;
  /** The model was told of it. */
  readonly wasNudged: boolean;
}

interface OverflowState extends Overflow {
  /** Replies since the last demand for a smaller view; 2 stands for more, and for no demand. */
  readonly replies: number;
  readonly lastReply: string;
}

/** What a model is told whose replies overflow the context again and again. */
export const overflowNudge =
  'What you asked for did not fit into the context, several times in a row, and had to be left out each time. Ask for less at once: parts of files, fewer lines, narrower searches.';

const initial: OverflowState = { streak: 0, wasNudged: false, replies: 2, lastReply: '' };

/**
 * Counts overflows that follow each other with one reply between: a view that was just made smaller cannot show that they
 * repeat. What the user says, two replies that fit, and a run that was stopped for it begin anew.
 *
 * @see OpenHands V0 StuckDetector, context window error loop (whose events its history never held)
 */
export const overflowProjection: Projection<OverflowState, Overflow> = {
  name: 'overflow',
  version: 1,
  scope: 'branch',
  initial: () => initial,
  apply(state, event) {
    if (CondensationRequest.is(event)) return demanded(state);
    if (ConversationStateUpdateEvent.is(event))
      return event.key === statusKey && event.value === 'stuck' ? initial : state;
    if (MessageEvent.is(event) && event.source !== 'agent') {
      if (event.source === 'user') return initial;
      return textOf(event.llm_message.content) === overflowNudge ? { ...state, wasNudged: true } : state;
    }
    if (!ActionEvent.is(event) && !MessageEvent.is(event)) return state;
    const reply = event.llm_response_id ?? event.id;
    return reply === state.lastReply ? state : replied(state, reply);
  },
  read: (state) => state,
  encode: (state) => ({ ...state }),
  decode: (json) => json as unknown as OverflowState,
};

/** Demands that no reply lies between are one overflow that is being met step by step. */
function demanded(state: OverflowState): OverflowState {
  return { ...state, replies: 0, streak: state.streak + (state.replies === 1 ? 1 : 0) };
}

function replied(state: OverflowState, lastReply: string): OverflowState {
  return state.replies === 0 ? { ...state, replies: 1, lastReply } : { ...initial, lastReply };
}
