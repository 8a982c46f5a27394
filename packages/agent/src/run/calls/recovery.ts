import type { ActionEvent, SecurityRisk } from '@varve/events/kinds';
import type { Payload } from '@varve/events/payloads';
import type { PendingCall } from '@varve/events/projections';
import { endsRun } from './ends-run.ts';
import { ToolError, type Effect, type Tool } from '@varve/tools';
import { callAfterEndMessage, changedCallMessage, unknownOutcomeMessage } from '../../log/drafts.ts';

/** A pending call that may run, with its tool and its parsed input. */
export interface RunnableCall {
  readonly event: ActionEvent;
  readonly tool: Tool;
  /** Stored payload, or the one that a person approved in its place. */
  readonly action: Payload;
  /** True if a person approved another action: its result is a rejection that contains both. */
  readonly isChanged: boolean;
  /** Risk according to the model. */
  readonly risk: SecurityRisk;
  /** Input of the tool, parsed from the stored payload once and carried from here to the execution. */
  readonly input: unknown;
  readonly effect: Effect;
}

/** Decision about an unanswered call: one that a log contains without a result, for example after a crash. */
export type RecoveryDecision =
  | { readonly kind: 'run'; readonly call: RunnableCall }
  | { readonly kind: 'answer'; readonly error: string };

/**
 * Decides from the log alone what happens to a pending call. A call that may have had side effects is never run again:
 * its outcome is unknown, and the model reads that. A call may run if it changes nothing, may be repeated, or provably
 * never started. `before` are the earlier pending calls: nothing runs after a call of the same reply that
 * ends the run, even if a crash within an append lost the answers to the calls after it.
 */
export function recoveryDecision(
  { event, isExecutable, wasStoredBeforeStart, hasEffect, approvedAction }: PendingCall,
  tools: ReadonlyMap<string, Tool>,
  before: readonly PendingCall[] = [],
): RecoveryDecision {
  if (!isExecutable || !event.action) return answer('This call could not be read, so it was not executed.');
  if (hasEffect) return unknownOutcome(event, approvedAction);
  const end = before.find((other) => isEndOf(other, event, tools));
  if (end) return answer(callAfterEndMessage(end.event.tool_name));
  const tool = tools.get(event.tool_name);
  if (!tool) return answer(`The tool ${event.tool_name} is no longer available, so this call was not executed.`);
  const { action: stored, security_risk: risk } = event;
  const action = approvedAction ?? stored;
  const read = readAction(action, tool);
  if (!read) return answer(`The tool ${event.tool_name} no longer accepts these arguments. It was not executed.`);
  return read.effect === 'write' && !wasStoredBeforeStart
    ? unknownOutcome(event)
    : { kind: 'run', call: { event, tool, action, isChanged: approvedAction !== undefined, risk, ...read } };
}

/** Returns the input and the effect of a stored action; undefined if the tool does not accept it. */
export function readAction(action: Payload, tool: Tool): Pick<RunnableCall, 'input' | 'effect'> | undefined {
  try {
    const input = tool.fromAction(action);
    return { input, effect: tool.effect(input) };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return undefined;
  }
}

function isEndOf(
  { event: { action, tool_name: name, llm_response_id: reply } }: PendingCall,
  event: ActionEvent,
  tools: ReadonlyMap<string, Tool>,
): boolean {
  return endsRun(action, tools.get(name)) && reply === event.llm_response_id;
}

function answer(error: string): RecoveryDecision {
  return { kind: 'answer', error };
}

function unknownOutcome(event: ActionEvent, changed?: Payload): RecoveryDecision {
  const message = unknownOutcomeMessage(event.tool_name);
  return answer(changed ? changedCallMessage(changed, message) : message);
}
