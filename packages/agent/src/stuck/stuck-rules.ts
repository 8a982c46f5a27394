import { textOf, type BaseEvent } from '@varve/events';
import { MessageEvent } from '@varve/events/kinds';
import type { LlmErrorCode } from '@varve/llm';
import { AgentError } from '../error.ts';

/**
 * Rules for detecting a stuck agent. Numbers are consecutive replies, at least 2. When a number is reached the model is
 * nudged once; when its next reply continues the pattern, the run ends as `stuck`.
 *
 * @see software-agent-sdk StuckDetectionThresholds (there replies with several calls are compared call by call, text
 * next to a call counts, and only failing calls lead to a nudge first)
 */
export interface StuckRules {
  /** The same calls with the same results; default 4. */
  readonly repeatedResults: number;
  /** The same calls, all of which fail with any error; default 3. */
  readonly repeatedErrors: number;
  /** Two alternating replies with the same results: the number of both; default 6. */
  readonly alternating: number;
  /** Replies without calls that do not end the run; default 3. Each leads to a nudge. */
  readonly monologue: number;
  /** Contexts that are too long again one reply after a condensation; default 3. */
  readonly overflows: number;
  /** Examined part of the conversation: since the user's last message, the default, or all of it. */
  readonly window: 'user-message' | 'conversation';
  /** Comparison of two results of a command: the complete output, the default, or only the exit code. */
  readonly outputs: 'compared' | 'exit-codes';
}

/**
 * Pattern that ended a run as stuck: the same calls; text without calls; replies without usable content (empty, cut off
 * or refused); contexts that are too long again and again.
 */
export type StuckCause = 'repeated-calls' | 'text-only' | 'unusable-replies' | 'overflows';

const defaults: StuckRules = {
  repeatedResults: 4,
  repeatedErrors: 3,
  alternating: 6,
  monologue: 3,
  overflows: 3,
  window: 'user-message',
  outputs: 'compared',
};

/** Returns the rules with defaults. @throws {AgentError} `invalid` for a number below 2. */
export function stuckRules(options: Partial<StuckRules> = {}): StuckRules {
  const rules = { ...defaults, ...options };
  for (const name of ['repeatedResults', 'repeatedErrors', 'alternating', 'monologue', 'overflows'] as const) {
    if (Number.isInteger(rules[name]) && rules[name] >= 2) continue;
    throw new AgentError('invalid', `${name} is ${rules[name]}, but it takes 2 replies to repeat one.`);
  }
  return rules;
}

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
