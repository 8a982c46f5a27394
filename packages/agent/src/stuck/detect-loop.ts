import { textOf, type BaseEvent } from '@varve/events';
import { MessageEvent } from '@varve/events/kinds';
import { mayRepeat, turnsOf, type Turn } from './turns.ts';
import type { StuckRules } from './stuck-rules.ts';

/** What is to be done about an agent that repeats itself. */
export type LoopVerdict = { readonly kind: 'nudge'; readonly message: string } | { readonly kind: 'stuck' };

/** What a model is told when somebody runs a conversation again that was stuck. */
export const resumeAfterStuckNudge = 'You were stopped because you repeated yourself. Go on, but not in the same way.';

/** So many events of a view are looked at: enough for the longest pattern of replies with some twenty calls each. */
const tail = 240;

/**
 * Looks whether the last replies of a view repeat themselves. The model is told first: the verdict is `stuck` only when it
 * has replied since and the pattern still holds. Pure, so that a restart comes to the same verdict.
 *
 * What a condensation forgot does not count.
 */
export function detectLoop(events: readonly BaseEvent[], rules: StuckRules): LoopVerdict | undefined {
  const recent = events.slice(-tail);
  if (!mayRepeat(recent)) return undefined;
  const said = rules.window === 'conversation' ? -1 : recent.findLastIndex(isFromUser);
  const window = recent.slice(said + 1);
  const loop = loopIn(turnsOf(window, rules.outputs), rules);
  if (!loop) return undefined;
  // What it was told for another reason, an empty reply for instance, is no warning.
  const told = window.findLastIndex((event) => isNudge(event, loop.message) || isNudge(event, resumeAfterStuckNudge));
  if (told < loop.start) return { kind: 'nudge', message: loop.message };
  return window.slice(told + 1).some((event) => event.source === 'agent') ? { kind: 'stuck' } : undefined;
}

interface Loop {
  /** Index of the event it begins with. */
  readonly start: number;
  readonly message: string;
}

function loopIn(
  moves: readonly Turn[],
  { repeatedErrors, repeatedResults, alternating }: StuckRules,
): Loop | undefined {
  return (
    loopOf(
      moves,
      repeatedErrors,
      isSameFailure,
      (names, times) => `You called ${names} ${times} times in the same way, and it failed each time.`,
    ) ??
    loopOf(
      moves,
      repeatedResults,
      isSame,
      (names, times) => `You called ${names} ${times} times in the same way, with the same result.`,
    ) ??
    loopOf(
      moves,
      alternating,
      isSameByTurns,
      (names) => `You go back and forth between the same calls of ${names}, with the same results.`,
    )
  );
}

/** Whether a move is like those before it, given the last ones in order. */
type Likeness = (move: Turn, index: number, all: readonly Turn[]) => boolean;

const isSame: Likeness = (move, _index, [first]) =>
  move.requestKey === first?.requestKey && move.resultKey === first.resultKey;
const isSameFailure: Likeness = (move, _index, [first]) => move.isFailure && move.requestKey === first?.requestKey;
const isSameByTurns: Likeness = (move, index, all) =>
  move.requestKey === all[index % 2]?.requestKey && move.resultKey === all[index % 2]?.resultKey;

function loopOf(
  moves: readonly Turn[],
  length: number,
  likeness: Likeness,
  tell: (names: string, times: number) => string,
): Loop | undefined {
  const last = moves.slice(-length);
  const [first] = last;
  if (!first || last.length < length || !last.every(likeness)) return undefined;
  const names = [...new Set(last.flatMap(({ tools }) => tools))].join(' and ');
  // Without calls it is a monologue, which has its own rule.
  if (names === '') return undefined;
  return {
    start: first.start,
    message: `${tell(names, length)} Try another way. If there is none, call finish and say what is in the way.`,
  };
}

function isNudge(event: BaseEvent, message: string): boolean {
  return MessageEvent.is(event) && event.source === 'environment' && textOf(event.llm_message.content) === message;
}

function isFromUser(event: BaseEvent): boolean {
  return MessageEvent.is(event) && event.source === 'user';
}
