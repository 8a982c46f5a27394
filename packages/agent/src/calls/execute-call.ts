import { effectFact } from '@varve/events/facts';
import { ObservationEvent, type ActionEvent } from '@varve/events/kinds';
import { FinishAction, type Observation } from '@varve/events/payloads';
import { ToolError, type Tool } from '@varve/tools';
import { digestOf } from '../log/digest.ts';
import { callErrorDraft, finishedDraft, internalFailure, type Draft } from '../log/drafts.ts';
import type { Journal } from '../log/journal.ts';

/** What carrying out a call needs besides the call. */
export interface ExecuteOptions {
  readonly journal: Journal;
  readonly conversationId: string;
  readonly workspace: string;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Whether a call of finish ends the work. */
  readonly sawLatestUserMessage: () => boolean;
  readonly onOutput?: (chunk: string, event: ActionEvent) => void;
}

/** How a call ended: the agent is done, the call was cut off, or the run goes on. */
export type CallOutcome = 'finished' | 'aborted' | 'done';

/**
 * Runs one call and stores its result. A call with side effects is recorded before it starts, so that after a crash
 * nobody runs it again; what may be done again is stored behind. Whatever the tool does, the call has exactly one result when
 * this resolves. A call that was refused meanwhile keeps that answer, and does not run unless it had begun.
 */
export async function executeCall(event: ActionEvent, tool: Tool, options: ExecuteOptions): Promise<CallOutcome> {
  const { journal, conversationId, workspace, signal, now, onOutput, sawLatestUserMessage } = options;
  if (!event.action) throw new Error(`Action ${event.id} has no payload, so it cannot be executed.`);
  const input = tool.fromAction(event.action);
  const idempotencyKey = digestOf(`${conversationId}:${event.id}`);
  const effect = tool.effect(input);
  if (effect !== 'read') {
    // Alone, so that a crash before the effect is recorded proves that the call never started.
    await journal.flush();
    if (signal.aborted) return 'aborted';
    if (!isPending(journal, event)) return 'done';
  }
  if (effect === 'write') {
    const value = { action_id: event.id, idempotency_key: idempotencyKey, at: now() };
    const fact: Draft = { make: (stamp) => effectFact.create(value, stamp) };
    const begun = await journal.emit(() => (isPending(journal, event) ? [fact] : []));
    if (begun.length === 0) return 'done';
  }
  const context = {
    workspace,
    signal,
    idempotencyKey,
    ...(onOutput && { onOutput: (chunk: string) => onOutput(chunk, event) }),
  };
  let result: Draft;
  try {
    result = observationDraft(event, await tool.execute(input, context));
  } catch (error) {
    return failed(event, error, options);
  }
  const isEnd = FinishAction.is(event.action);
  const results = (): readonly Draft[] => {
    if (!isPending(journal, event)) return [];
    return isEnd ? [result, finishedDraft(sawLatestUserMessage())] : [result];
  };
  if (effect === 'read' && !isEnd) await journal.emitDeferred(results);
  else await journal.emit(results);
  return journal.timeline.read('status').execution === 'finished' ? 'finished' : 'done';
}

/** Whether the call still has no result. */
export function isPending(journal: Journal, { id }: ActionEvent): boolean {
  return journal.timeline.read('pending').some(({ event }) => event.id === id);
}

function observationDraft(event: ActionEvent, observation: Observation): Draft {
  const { tool_name, tool_call_id, id } = event;
  return {
    make: (stamp) => ObservationEvent.create({ tool_name, tool_call_id, observation, action_id: id }, stamp),
  };
}

/**
 * A tool that throws is answered like one that reports an error: the model reads it and the log stays whole. A call that was
 * refused meanwhile has its answer already.
 */
async function failed(event: ActionEvent, error: unknown, { journal, signal }: ExecuteOptions): Promise<CallOutcome> {
  const answer = (draft: Draft): Promise<unknown> => journal.emit(() => (isPending(journal, event) ? [draft] : []));
  if (signal.aborted) {
    await answer(callErrorDraft(event, 'This call was interrupted before it had a result.'));
    return 'aborted';
  }
  const reason = error instanceof Error ? error.message : String(error);
  const classification = error instanceof ToolError ? undefined : internalFailure;
  await answer(callErrorDraft(event, `${event.tool_name} failed: ${reason}`, classification));
  return 'done';
}
