import type { BaseEvent, EventCodec, Message } from '@varve/events';
import { callFact, type Call } from '@varve/events/facts';
import { ActionEvent, ConversationStateUpdateEvent, MessageEvent } from '@varve/events/kinds';
import { repliesOf } from '@varve/events/projections';
import type { FinishReason, ModelReply } from '@varve/llm';
import type { LogReader } from '@varve/storage';

/** A recorded reply, and the digests of its request, which foreign logs do not have. */
export interface RecordedReply {
  readonly reply: ModelReply;
  readonly digests?: Call['digests'];
}

/**
 * Returns the replies of a log, of all branches, in order. Replies that are stored only in part are omitted. Those
 * of an imported log without facts about its calls follow from its events.
 */
export async function recordedReplies(log: LogReader, codec: EventCodec): Promise<readonly RecordedReply[]> {
  const calls: Call[] = [];
  const events = new Map<string, BaseEvent>();
  const steps: BaseEvent[] = [];
  let isForeign = true;
  for await (const { text } of log.range(0)) {
    const event = codec.read(text);
    const call = callFact.read(event);
    if (call) isForeign = false;
    if (call?.usage_id === 'agent') calls.push(call);
    else if (event.source === 'agent') events.set(event.id, event);
    if (!ConversationStateUpdateEvent.is(event)) steps.push(event);
  }
  if (isForeign) return foreignReplies(steps);
  return calls.flatMap((call) => {
    const message = messageOf(call, events);
    return message ? [{ reply: replyOf(call, message), digests: call.digests }] : [];
  });
}

function foreignReplies(steps: readonly BaseEvent[]): readonly RecordedReply[] {
  const replies = new Map(repliesOf(steps).map(({ start, calls }) => [start, calls.map(({ event }) => event)]));
  return steps.flatMap((event, index) => {
    const actions = replies.get(index);
    const message =
      MessageEvent.is(event) && event.source === 'agent' ? event.llm_message : actions && callsOf(actions);
    if (!message) return [];
    const finish: FinishReason = actions ? 'tool-calls' : 'stop';
    return [{ reply: { id: event.id, model: 'recorded', message, finish, latencyMs: 0, attempts: 1 } }];
  });
}

function messageOf({ actions, message_id: id }: Call, events: ReadonlyMap<string, BaseEvent>): Message | undefined {
  const message = id === undefined ? undefined : events.get(id);
  if (message) return MessageEvent.is(message) ? message.llm_message : undefined;
  const actionEvents = actions.flatMap((action) => {
    const event = events.get(action);
    return event && ActionEvent.is(event) ? [event] : [];
  });
  return actionEvents.length < actions.length ? undefined : callsOf(actionEvents);
}

/** Returns the message of a reply with calls; undefined without any. */
function callsOf(actionEvents: readonly ActionEvent[]): Message | undefined {
  const [first] = actionEvents;
  if (!first) return undefined;
  const { thought, reasoning_content, thinking_blocks, responses_reasoning_item } = first;
  return {
    role: 'assistant',
    content: thought,
    tool_calls: actionEvents.map(({ tool_call: call }) => call),
    ...(reasoning_content !== undefined && { reasoning_content }),
    thinking_blocks,
    ...(responses_reasoning_item && { responses_reasoning_item }),
  };
}

const reasons = new Set<string>([
  'stop',
  'tool-calls',
  'length',
  'content-filter',
  'unread-calls',
] satisfies FinishReason[]);

function replyOf(call: Call, message: Message): ModelReply {
  const { response_id: id, model, usage, cost_usd: costUsd, latency_ms: latencyMs, finish } = call;
  return {
    id,
    model,
    message,
    finish: reasons.has(finish) ? (finish as FinishReason) : 'unknown',
    ...(usage && { usage }),
    ...(costUsd !== undefined && { costUsd }),
    latencyMs,
    attempts: 1,
  };
}
