import { textOf, type BaseEvent } from '@varve/events';
import { MessageEvent } from '@varve/events/kinds';
import type { LlmErrorCode } from '@varve/llm';
import type { StuckRules } from './stuck-rules.ts';

/**
 * Nudges after replies that failed because they were unusable, by error code. The log has no other trace of such a
 * reply.
 */
export const emptyReplyNudges = {
  empty: 'Your last reply was empty. Continue with the task, or call finish.',
  truncated:
    'Your last reply reached the output limit before it contained any text. Think less, and continue in smaller steps.',
  refused:
    "The provider's content policy stopped your last reply. Take another approach, or call finish and explain what blocks you.",
} as const satisfies Partial<Record<LlmErrorCode, string>>;

const failedReplyNudges = new Set<string>(Object.values(emptyReplyNudges));

/** Reports whether one more reply without calls, which does not end the run, makes the agent stuck. */
export function isMonologue(events: readonly BaseEvent[], { monologue }: StuckRules): boolean {
  const last = events.findLastIndex((event) => !MessageEvent.is(event) || event.source === 'user');
  return events.slice(last + 1).filter(isReply).length + 1 >= monologue;
}

function isReply(event: BaseEvent): boolean {
  return (
    event.source === 'agent' || (MessageEvent.is(event) && failedReplyNudges.has(textOf(event.llm_message.content)))
  );
}
