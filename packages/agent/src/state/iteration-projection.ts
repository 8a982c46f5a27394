import { ActionEvent, MessageEvent } from '@varve/events';
import type { Projection } from '@varve/events/projections';

interface Iterations {
  readonly count: number;
  /** The reply that was counted last. */
  readonly last: string;
}

/** How many replies of a model a log holds, of all its branches; one reply of several calls is one. */
export const iterationProjection: Projection<Iterations, number> = {
  name: 'iteration',
  version: 1,
  scope: 'log',
  initial: () => ({ count: 0, last: '' }),
  apply(state, event) {
    const isReply = ActionEvent.is(event) || (MessageEvent.is(event) && event.source === 'agent');
    const reply = isReply ? (event.llm_response_id ?? event.id) : state.last;
    return reply === state.last ? state : { count: state.count + 1, last: reply };
  },
  read: ({ count }) => count,
  encode: (state) => ({ ...state }),
  decode: (json) => json as unknown as Iterations,
};
