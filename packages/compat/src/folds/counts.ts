import type { BaseEvent } from '@varve/events';
import {
  ActionEvent,
  AgentErrorEvent,
  Condensation,
  ConversationErrorEvent,
  MessageEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import type { Projection } from '@varve/events/projections';

/** Counts over the whole log, all branches. */
export interface Counts {
  /** Replies of the agent's model, with or without calls. */
  readonly iterations: number;
  readonly userMessages: number;
  readonly toolCalls: number;
  /** Calls that failed before or outside their tool. */
  readonly callErrors: number;
  /** Calls that a person or a hook refused. */
  readonly rejections: number;
  /** Runs that ended in failure. */
  readonly runErrors: number;
  readonly condensations: number;
}

interface CountsState extends Counts {
  /** Id of the last counted reply; empty for none. */
  readonly lastReply: string;
}

/** Folds the {@link Counts} of a log. */
export const countsProjection: Projection<CountsState, Counts> = {
  name: 'counts',
  version: 1,
  scope: 'log',
  initial: () => ({
    iterations: 0,
    userMessages: 0,
    toolCalls: 0,
    callErrors: 0,
    rejections: 0,
    runErrors: 0,
    condensations: 0,
    lastReply: '',
  }),
  apply(counts, event) {
    if (ActionEvent.is(event)) return countReply({ ...counts, toolCalls: counts.toolCalls + 1 }, event.llm_response_id);
    if (MessageEvent.is(event)) return countMessage(counts, event);
    const name = counterOf(event);
    return name ? { ...counts, [name]: counts[name] + 1 } : counts;
  },
  read: ({ lastReply: _lastReply, ...counts }) => counts,
  encode: (counts) => ({ ...counts }),
  decode: (json) => json as unknown as CountsState,
};

function countMessage(counts: CountsState, { source, llm_response_id: reply = '' }: MessageEvent): CountsState {
  if (source === 'user') return { ...counts, userMessages: counts.userMessages + 1, lastReply: '' };
  return source === 'agent' ? countReply(counts, reply) : counts;
}

/** Replies without an id cannot be distinguished, so each of their events counts. */
function countReply(counts: CountsState, reply: string): CountsState {
  if (reply !== '' && reply === counts.lastReply) return counts;
  return { ...counts, iterations: counts.iterations + 1, lastReply: reply };
}

function counterOf(event: BaseEvent): Exclude<keyof Counts, 'iterations'> | undefined {
  if (AgentErrorEvent.is(event)) return 'callErrors';
  if (UserRejectObservation.is(event)) return 'rejections';
  if (ConversationErrorEvent.is(event)) return 'runErrors';
  return Condensation.is(event) ? 'condensations' : undefined;
}
