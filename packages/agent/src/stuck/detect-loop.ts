import { textOf, type BaseEvent } from '@varve/events';
import { MessageEvent } from '@varve/events/kinds';
import { mayRepeat, turnsOf, type Turn } from './turns.ts';
import type { StuckRules } from './stuck-rules.ts';

/** Reaction to an agent that repeats itself: a nudge to its model, or the end of the run. */
export type LoopVerdict = { readonly kind: 'nudge'; readonly message: string } | { readonly kind: 'stuck' };

/** Nudge at the start of a run of a conversation that was stuck. */
export const resumeAfterStuckNudge =
  'You were stopped because you repeated yourself. Continue, but try a different approach.';

/**
 * Number of events of a view that are examined: enough for the longest pattern of turns with some twenty calls each.
 */
const examinedEvents = 240;

/**
 * Detects turns that repeat at the end of a view. The verdict is a nudge first, and `stuck` only when the model has
 * replied since then and the pattern continues. Pure, so that a restart reaches the same verdict.
 *
 * Events that a condensation removed do not count.
 */
export function detectLoop(events: readonly BaseEvent[], rules: StuckRules): LoopVerdict | undefined {
  const recent = events.slice(-examinedEvents);
  if (!mayRepeat(recent)) return undefined;
  const message = rules.window === 'conversation' ? -1 : recent.findLastIndex(isFromUser);
  const window = recent.slice(message + 1);
  const loop = loopIn(turnsOf(window, rules.outputs), rules);
  if (!loop) return undefined;
  // A nudge for another reason, an empty reply for example, is not a warning about this loop.
  const nudge = window.findLastIndex((event) => isNudge(event, loop.message) || isNudge(event, resumeAfterStuckNudge));
  if (nudge < loop.start) return { kind: 'nudge', message: loop.message };
  return window.slice(nudge + 1).some((event) => event.source === 'agent') ? { kind: 'stuck' } : undefined;
}

interface Loop {
  /** Index of its first event. */
  readonly start: number;
  readonly message: string;
}

function loopIn(
  turns: readonly Turn[],
  { repeatedErrors, repeatedResults, alternating }: StuckRules,
): Loop | undefined {
  return (
    loopOf(
      turns,
      repeatedErrors,
      isSameFailure,
      (names, times) => `You called ${names} ${times} times in the same way, and it failed each time.`,
    ) ??
    loopOf(
      turns,
      repeatedResults,
      isSame,
      (names, times) => `You called ${names} ${times} times in the same way, with the same result.`,
    ) ??
    loopOf(
      turns,
      alternating,
      isAlternating,
      (names) => `You alternate between the same calls of ${names}, with the same results.`,
    )
  );
}

/** Compares a turn with the first of the last turns. */
type Comparison = (turn: Turn, index: number, all: readonly Turn[]) => boolean;

const isSame: Comparison = (turn, _index, [first]) =>
  turn.requestKey === first?.requestKey && turn.resultKey === first.resultKey;
const isSameFailure: Comparison = (turn, _index, [first]) => turn.isFailure && turn.requestKey === first?.requestKey;
const isAlternating: Comparison = (turn, index, all) =>
  turn.requestKey === all[index % 2]?.requestKey && turn.resultKey === all[index % 2]?.resultKey;

function loopOf(
  turns: readonly Turn[],
  length: number,
  comparison: Comparison,
  describe: (names: string, times: number) => string,
): Loop | undefined {
  const last = turns.slice(-length);
  const [first] = last;
  if (!first || last.length < length || !last.every(comparison)) return undefined;
  const names = [...new Set(last.flatMap(({ tools }) => tools))].join(' and ');
  // Replies without calls are a monologue, which has its own rule.
  if (names === '') return undefined;
  return {
    start: first.start,
    message: `${describe(names, length)} Try another approach. If there is none, call finish and explain what blocks you.`,
  };
}

function isNudge(event: BaseEvent, message: string): boolean {
  return MessageEvent.is(event) && event.source === 'environment' && textOf(event.llm_message.content) === message;
}

function isFromUser(event: BaseEvent): boolean {
  return MessageEvent.is(event) && event.source === 'user';
}
