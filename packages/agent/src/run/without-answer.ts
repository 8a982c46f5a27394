import type { PendingCall } from '@varve/events/projections';
import type { FinalAnswer } from './last-reply.ts';
import type { StepsEnd } from './run-loop.ts';

/** Returns the sentence that is the text of a run without an answer. */
export function withoutAnswer(end: Exclude<StepsEnd, FinalAnswer>, calls: readonly PendingCall[]): string {
  return `No answer: the run ${ending(end, calls)}.`;
}

function ending(end: Exclude<StepsEnd, FinalAnswer>, calls: readonly PendingCall[]): string {
  if (end.reason === 'waiting') {
    return `waits for the approval of ${calls.map(({ event }) => event.tool_name).join(', ')}`;
  }
  if (end.reason === 'paused' || end.reason === 'interrupted') return `was ${end.reason}`;
  if (end.reason === 'stuck') return `was stopped as stuck (${end.cause})`;
  return end.reason === 'error' ? `failed: ${end.error.message}` : `reached its limit (${end.reason})`;
}
