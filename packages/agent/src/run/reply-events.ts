import type { TextContent } from '@varve/events';
import { callFact } from '@varve/events/facts';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';
import { FinishAction } from '@varve/events/payloads';
import type { FailedAttempt, ModelReply } from '@varve/llm';
import { callAfterFinishMessage, callErrorDraft, type Draft } from '../log/drafts.ts';
import type { InvalidCall, ValidCall } from '../calls/read-call.ts';
import type { PreparedRequest } from '../request/request.ts';

/** What a reply is told with: the request it answers, whose it is, and when it came. */
export interface ReplyContext {
  readonly prepared: PreparedRequest;
  readonly usageId: string;
  /** UTC milliseconds. */
  readonly now: number;
  readonly newId: () => string;
}

/** The fact of a reply. It stands before the events it lists, in the same append. */
export function replyFactDraft(
  reply: ModelReply,
  { prepared, usageId, now }: ReplyContext,
  listed: { readonly actions: readonly string[]; readonly message_id?: string },
): Draft {
  const { digests, projections } = prepared;
  return {
    make: (stamp) =>
      callFact.create(
        {
          response_id: reply.id,
          actions: [...listed.actions],
          ...(listed.message_id !== undefined && { message_id: listed.message_id }),
          usage_id: usageId,
          model: reply.model,
          finish: reply.finish,
          ...(reply.usage && { usage: { ...reply.usage } }),
          ...(reply.costUsd !== undefined && { cost_usd: reply.costUsd }),
          latency_ms: Math.round(reply.latencyMs),
          digests,
          projections,
          at: now,
        },
        stamp,
      ),
  };
}

/** Facts of attempts that led to no reply but were paid for: they list no event, and end with the code of the failure. */
export function failedAttemptDrafts(
  attempts: readonly FailedAttempt[],
  { prepared, usageId, now, newId }: ReplyContext,
): readonly Draft[] {
  const { digests, projections } = prepared;
  return attempts.map(({ model, code, usage, costUsd }) => {
    const spent = { ...(usage && { usage: { ...usage } }), ...(costUsd !== undefined && { cost_usd: costUsd }) };
    const told = { usage_id: usageId, model, finish: code, ...spent, latency_ms: 0, digests, projections, at: now };
    return { make: (stamp) => callFact.create({ response_id: newId(), actions: [], ...told }, stamp) };
  });
}

/** A reply without calls. */
export function eventsOfTextReply(reply: ModelReply, context: ReplyContext): readonly Draft[] {
  const id = context.newId();
  return [
    replyFactDraft(reply, context, { actions: [], message_id: id }),
    {
      id,
      make: (stamp) =>
        MessageEvent.create({ source: 'agent', llm_message: reply.message, llm_response_id: reply.id }, stamp),
    },
  ];
}

/**
 * A reply with calls: its fact, one action per call with the thought on the first, then at once an answer to each call
 * that will never run. What follows `finish` is answered too, so that no later run executes it.
 */
export function eventsOfReply(
  reply: ModelReply,
  calls: readonly (ValidCall | InvalidCall)[],
  context: ReplyContext,
): readonly Draft[] {
  const ids = calls.map(() => context.newId());
  const end = calls.findIndex((call) => call.kind === 'valid' && FinishAction.is(call.action));
  const actions = calls.map((call, index): Draft => ({
    id: ids[index] ?? context.newId(),
    make: (stamp) => ActionEvent.create({ ...sharedFields(reply, index), ...actionFields(call) }, stamp),
  }));
  const answers = calls.flatMap((call, index): readonly Draft[] => {
    const named = { tool_name: call.call.name, tool_call_id: call.call.id };
    if (call.kind === 'invalid') return [callErrorDraft(named, call.problem)];
    return end >= 0 && index > end ? [callErrorDraft(named, callAfterFinishMessage)] : [];
  });
  return [replyFactDraft(reply, context, { actions: ids }), ...actions, ...answers];
}

function sharedFields(reply: ModelReply, index: number) {
  const { content, reasoning_content, thinking_blocks, responses_reasoning_item } = reply.message;
  if (index > 0) return { thought: [], llm_response_id: reply.id };
  const thought = content.filter((block): block is TextContent => block.type === 'text' && block.text.trim() !== '');
  return {
    thought,
    ...(reasoning_content !== undefined && { reasoning_content }),
    thinking_blocks,
    ...(responses_reasoning_item && { responses_reasoning_item }),
    llm_response_id: reply.id,
  };
}

function actionFields(call: ValidCall | InvalidCall) {
  const named = { tool_name: call.call.name, tool_call_id: call.call.id, tool_call: call.call };
  if (call.kind === 'invalid') return named;
  const { action, risk, summary } = call;
  return {
    ...named,
    action,
    security_risk: risk,
    ...(summary !== undefined && { summary }),
  };
}
