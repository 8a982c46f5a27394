import { textOf, type BaseEvent } from '@varve/events';
import { MessageEvent } from '@varve/events/kinds';
import type { LlmErrorCode } from '@varve/llm';
import type { StuckRules } from './stuck-rules.ts';

/** What a model is told whose reply failed because there was nothing usable in it: such a reply leaves no other trace. */
export const emptyReplyNudges = {
  empty: 'Your last reply was empty. Go on with the task, or call finish.',
  truncated:
    'Your last reply reached the output limit before it said anything. Think less, and continue in smaller steps.',
  refused:
    "The provider's content policy stopped your last reply. Take another way, or call finish and say what is in the way.",
} as const satisfies Partial<Record<LlmErrorCode, string>>;

const traces = new Set<string>(Object.values(emptyReplyNudges));

/** Whether one more reply without calls, which does not end the run, makes the agent stuck. */
export function isMonologue(events: readonly BaseEvent[], { monologue }: StuckRules): boolean {
  const last = events.findLastIndex((event) => !MessageEvent.is(event) || event.source === 'user');
  return events.slice(last + 1).filter(isReply).length + 1 >= monologue;
}

function isReply(event: BaseEvent): boolean {
  return event.source === 'agent' || (MessageEvent.is(event) && traces.has(textOf(event.llm_message.content)));
}
