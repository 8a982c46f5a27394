import type { TextContent } from '@varve/events';
import { callFact, reviewFact, type Call } from '@varve/events/facts';
import { ActionEvent, MessageEvent } from '@varve/events/kinds';
import type { FailedAttempt, ModelReply } from '@varve/llm';
import { endsRun } from './calls/ends-run.ts';
import type { InvalidCall, ValidCall } from './calls/read-call.ts';
import { denialOf, type ReviewedCall } from '../confirmation/gate.ts';
import { callAfterEndMessage, callErrorDraft, rejectionDraft, type Draft } from '../log/drafts.ts';

/** Fields that the facts of one request's replies share. */
export interface ReplyFactContext {
  readonly digests: Call['digests'];
  readonly projections: Call['projections'];
  /** `agent` for the replies of a run. */
  readonly usageId: string;
  /** UTC milliseconds. */
  readonly now: number;
  readonly newId: () => string;
}

/** Call of a reply, with the id of its event. */
export type ReplyCall = (ValidCall | InvalidCall) & { readonly id: string };

/** Reviews of the valid calls of a reply, by the ids of their events. */
type Reviews = ReadonlyMap<string, Pick<ReviewedCall, 'review'>>;

/**
 * Returns the events of a reply, which are stored in one append: facts of failed attempts that were paid for, the fact
 * of the reply, then its message, or one action per call with the thought on the first, the verdicts about the calls,
 * and an error for each call that will never run. Calls after one that ends the run are answered too, so that no
 * later run executes them.
 */
export function eventsOfReply(
  reply: ModelReply,
  calls: readonly ReplyCall[],
  reviews: Reviews,
  context: ReplyFactContext,
): readonly Draft[] {
  const failed = failedAttemptDrafts(reply.failedAttempts ?? [], context);
  return [...failed, ...(calls.length === 0 ? textReply(reply, context) : callReply(reply, calls, reviews, context))];
}

function textReply(reply: ModelReply, context: ReplyFactContext): readonly Draft[] {
  const id = context.newId();
  const fields = { source: 'agent', llm_message: reply.message, llm_response_id: reply.id } as const;
  return [
    replyFactDraft(reply, { actions: [], message_id: id }, context),
    { id, make: (stamp) => MessageEvent.create(fields, stamp) },
  ];
}

function callReply(
  reply: ModelReply,
  calls: readonly ReplyCall[],
  reviews: Reviews,
  context: ReplyFactContext,
): readonly Draft[] {
  const end = calls.findIndex((call) => call.kind === 'valid' && endsRun(call.action, call.tool));
  const actions = calls.map((call, index): Draft => ({
    id: call.id,
    make: (stamp) => ActionEvent.create({ ...replyFields(reply, index), ...actionFields(call) }, stamp),
  }));
  const answers = calls.flatMap((call, index): readonly Draft[] => {
    const answered = { tool_name: call.call.name, tool_call_id: call.call.id };
    if (call.kind === 'invalid') return [callErrorDraft(answered, call.problem)];
    if (end >= 0 && index > end) {
      return [callErrorDraft(answered, callAfterEndMessage(calls[end]?.call.name ?? 'finish'))];
    }
    const reviewed = reviews.get(call.id);
    const denial = reviewed && denialOf(reviewed.review);
    return denial === undefined ? [] : [rejectionDraft({ ...answered, id: call.id }, denial)];
  });
  const reviewed = [...reviews].map(([id, { review }]) => ({ action_id: id, ...review }));
  return [
    replyFactDraft(reply, { actions: calls.map(({ id }) => id) }, context),
    ...actions,
    ...reviewDrafts(reviewed),
    ...answers,
  ];
}

/** Records the reviews of a reply's calls if an analyzer rated any of them, or a rule decided about one. */
function reviewDrafts(calls: Parameters<typeof reviewFact.create>[0]['calls']): readonly Draft[] {
  if (calls.every(({ verdict, rule }) => verdict === undefined && rule === undefined)) return [];
  return [{ make: (stamp) => reviewFact.create({ calls }, stamp) }];
}

/** Fields of the reply in the action at `index`: the first action contains the thought and the reasoning. */
function replyFields(reply: ModelReply, index: number) {
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
  const fields = { tool_name: call.call.name, tool_call_id: call.call.id, tool_call: call.call };
  if (call.kind === 'invalid') return fields;
  const { action, risk, summary } = call;
  return { ...fields, action, security_risk: risk, ...(summary !== undefined && { summary }) };
}

/** Records a reply, its usage and the events it consists of. Precedes those events in the same append. */
export function replyFactDraft(
  reply: ModelReply,
  events: { readonly actions: readonly string[]; readonly message_id?: string },
  { digests, projections, usageId, now }: ReplyFactContext,
): Draft {
  const fact = {
    response_id: reply.id,
    actions: [...events.actions],
    ...(events.message_id !== undefined && { message_id: events.message_id }),
    usage_id: usageId,
    model: reply.model,
    finish: reply.finish,
    ...(reply.usage && { usage: { ...reply.usage } }),
    ...(reply.costUsd !== undefined && { cost_usd: reply.costUsd }),
    latency_ms: Math.round(reply.latencyMs),
    digests,
    projections,
    at: now,
  };
  return { make: (stamp) => callFact.create(fact, stamp) };
}

/** Records attempts without a reply that were paid for: they list no event and have the error code as `finish`. */
export function failedAttemptDrafts(
  attempts: readonly FailedAttempt[],
  { digests, projections, usageId, now, newId }: ReplyFactContext,
): readonly Draft[] {
  return attempts.map(({ model, code, usage, costUsd }) => {
    const spent = { ...(usage && { usage: { ...usage } }), ...(costUsd !== undefined && { cost_usd: costUsd }) };
    const shared = { usage_id: usageId, model, finish: code, ...spent, latency_ms: 0, digests, projections, at: now };
    return { make: (stamp) => callFact.create({ response_id: newId(), actions: [], ...shared }, stamp) };
  });
}
