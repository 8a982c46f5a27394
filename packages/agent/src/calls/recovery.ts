import type { ActionEvent } from '@varve/events/kinds';
import { FinishAction } from '@varve/events/payloads';
import type { PendingCall } from '@varve/events/projections';
import { ToolError, type Tool } from '@varve/tools';
import { callAfterFinishMessage } from '../log/drafts.ts';

/** What to do with a call that a log left without a result. */
export type RecoveryDecision =
  | { readonly kind: 'run'; readonly tool: Tool }
  | { readonly kind: 'answer'; readonly error: string };

/**
 * Judges an unanswered call by what the log proves. A call that may have had side effects is never run again: its outcome
 * is unknown, and the model is told so. A call may run if it changes nothing, may be repeated, or provably never started.
 * `before` are the open calls before it: behind a `finish` of the same reply nothing runs, also when a crash in the middle
 * of an append left the reply without the answers that say so.
 */
export function recoveryDecision(
  { event, isExecutable, isListed, hasEffect }: PendingCall,
  tools: ReadonlyMap<string, Tool>,
  before: readonly PendingCall[] = [],
): RecoveryDecision {
  if (!isExecutable) return { kind: 'answer', error: 'This call could not be read, so it was not executed.' };
  if (hasEffect) return unknownOutcome(event);
  if (before.some((other) => isFinishOf(other, event))) return { kind: 'answer', error: callAfterFinishMessage };
  const tool = tools.get(event.tool_name);
  if (!tool) {
    return { kind: 'answer', error: `The tool ${event.tool_name} is no longer there, so this call was not executed.` };
  }
  const effect = effectOf(tool, event);
  if (effect === undefined) {
    return {
      kind: 'answer',
      error: `The tool ${event.tool_name} no longer takes these arguments. It was not executed.`,
    };
  }
  return effect === 'write' && !isListed ? unknownOutcome(event) : { kind: 'run', tool };
}

function isFinishOf({ event: { action, llm_response_id: reply } }: PendingCall, event: ActionEvent): boolean {
  return FinishAction.is(action) && reply === event.llm_response_id;
}

function unknownOutcome(event: ActionEvent): RecoveryDecision {
  return {
    kind: 'answer',
    error: `The outcome of this ${event.tool_name} call is unknown: the process ended while it may have been running. It was not run again. Look at the present state before you repeat it.`,
  };
}

function effectOf(tool: Tool, event: ActionEvent): ReturnType<Tool['effect']> | undefined {
  try {
    return event.action && tool.effect(tool.fromAction(event.action));
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}
