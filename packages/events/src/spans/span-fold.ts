import type { BaseEvent } from '../define-event.ts';
import { approvalFact } from '../facts/approval.ts';
import { callFact, type Call } from '../facts/call.ts';
import { effectFact } from '../facts/effect.ts';
import { forkEndFact, forkFact } from '../facts/fork.ts';
import { parametersFact } from '../facts/parameters.ts';
import { reviewFact } from '../facts/review.ts';
import { runFact } from '../facts/run.ts';
import { settingsFact } from '../facts/settings.ts';
import { taskFact } from '../facts/task.ts';
import { ActionEvent } from '../kinds/action-event.ts';
import { AgentErrorEvent } from '../kinds/agent-error-event.ts';
import { ConversationErrorEvent } from '../kinds/conversation-error-event.ts';
import { ConversationStateUpdateEvent } from '../kinds/conversation-state-update-event.ts';
import { MessageEvent } from '../kinds/message-event.ts';
import { ObservationEvent } from '../kinds/observation-event.ts';
import { UserRejectObservation } from '../kinds/user-reject-observation.ts';
import { callIdOf, isResult, type ResultEvent } from '../messages/results.ts';
import { stateFields } from '../projections/state-fields.ts';
import { statusKey } from '../projections/status.ts';
import { finishWord, parameterAttributes, providerAttributes, replyAttributes } from './call-attributes.ts';
import { callContent, type MessagePart, messagesAttribute, replyParts, textParts } from './content-attributes.ts';
import { spanIdOf, traceIdOf } from './span-ids.ts';
import type { Attributes, Span } from './span.ts';

/** Begin or end of a span. */
export interface SpanChange {
  readonly kind: 'begun' | 'ended';
  readonly span: Span;
}

/** Span that has not ended: its end is its last recorded activity. */
interface Work extends Omit<Span, 'end' | 'attributes'> {
  end: number;
  attributes: Attributes;
}

/** Call of a tool without a result. */
interface OpenCall {
  readonly event: ActionEvent;
  /** Earliest start of its execution. */
  ready: number;
  /** False if a review of the policy found that no person has to approve it. */
  asks: boolean;
  /** Span of the execution, once the log proves its start. */
  span?: Work;
  /** Wait for the decision of a person. */
  wait?: Work | undefined;
}

/** Reply whose events follow. */
interface OpenReply {
  readonly span: Work;
  readonly finish: string | undefined;
  readonly missing: Set<string>;
  readonly parts: MessagePart[];
}

/**
 * Folds a log into spans: a run of the agent has its steps, a step its call of the model and the calls of tools, and a
 * call that a person had to approve the wait. Ids are those of the events, so that every reader of a log returns the
 * same spans. Events that a fork copied have none: they are part of the origin.
 *
 * A run that a crash cut off ends with the beginning of the next one, as an error, at its last recorded activity.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/tree/v0.1.0/docs/gen-ai
 */
export class SpanFold {
  readonly #conversationId: string;
  readonly #hasContent: boolean;
  #changes: SpanChange[] = [];
  #isCopying = false;
  #provider: Attributes = providerAttributes(null);
  readonly #parameters = new Map<string, Attributes>();
  #run: Work | undefined;
  #step: Work | undefined;
  #reply: OpenReply | undefined;
  /** By the id of the action. */
  readonly #calls = new Map<string, OpenCall>();
  #status = 'idle';
  #failure: string | undefined;
  /** Messages since the last run began, and the last reply. */
  #input: MessagePart[] = [];
  #output: readonly MessagePart[] = [];

  constructor(conversationId: string, { content = false }: { readonly content?: boolean } = {}) {
    this.#conversationId = conversationId;
    this.#hasContent = content;
  }

  /** Returns the spans that begin and end with the next event of the log, in this order. */
  apply(event: BaseEvent): readonly SpanChange[] {
    this.#changes = [];
    if (ConversationStateUpdateEvent.is(event)) this.#applyUpdate(event);
    else if (!this.#isCopying) this.#applyEvent(event);
    return this.#changes;
  }

  /** Returns the spans that have not ended, up to their last recorded activity. */
  open(): readonly Span[] {
    const calls = [...this.#calls.values()].flatMap(({ span, wait }) => [span ?? [], wait ?? []].flat());
    return [this.#run, this.#step, this.#reply?.span, ...calls].flatMap((work) => (work ? [{ ...work }] : []));
  }

  #applyEvent(event: BaseEvent): void {
    const at = microsOf(event.timestamp);
    if (ActionEvent.is(event)) {
      if (!this.#calls.has(event.id)) this.#calls.set(event.id, { event, ready: at, asks: true });
      this.#touch(at, this.#run ?? this.#beginRun(event.id, at, implicit));
      this.#addToReply(event);
    } else if (MessageEvent.is(event)) {
      if (event.source === 'agent') this.#addToReply(event);
      else if (this.#hasContent) this.#input.push(...textParts(event.llm_message.content));
    } else if (isResult(event)) this.#endCall(event, at);
    else if (ConversationErrorEvent.is(event)) {
      this.#failure = event.code;
      this.#status = 'error';
    }
  }

  #applyUpdate(event: BaseEvent): void {
    const fork = forkFact.read(event);
    const settings = fork?.settings ?? settingsFact.read(event);
    if (settings) this.#provider = providerAttributes(settings.agent['model']);
    const parameters = parametersFact.read(event);
    if (parameters) this.#parameters.set(parameters.digest, parameterAttributes(parameters.parameters));
    if (fork) this.#isCopying = true;
    if (forkEndFact.read(event)) this.#isCopying = false;
    if (!this.#isCopying) this.#applyFact(event);
  }

  #applyFact(event: BaseEvent): void {
    for (const [key, value] of stateFields(event)) if (key === statusKey) this.#status = String(value);
    if (this.#status === 'waiting_for_confirmation') this.#awaitDecisions(microsOf(event.timestamp));
    const run = runFact.read(event);
    if (run?.state === 'begun') this.#beginRun(event.id, run.at * 1000, run);
    if (run?.state === 'ended') this.#endRun(run.at * 1000);
    const call = callFact.read(event);
    if (call) this.#addCall(event.id, call);
    for (const { action_id: id, asks } of reviewFact.read(event)?.calls ?? []) {
      const reviewed = this.#calls.get(id);
      if (reviewed) reviewed.asks = asks;
    }
    const approval = approvalFact.read(event);
    if (approval) this.#decide(approval.action_id, 'approved', approval.at * 1000);
    const started = effectFact.read(event) ?? taskFact.read(event);
    if (started?.action_id !== undefined) this.#startCall(started.action_id, started.at * 1000);
  }

  #beginRun(id: string, start: number, { within, part }: BegunRun): Work {
    if (this.#run) this.#closeRun({ 'error.type': 'cut-off' });
    const name = within?.agent ?? 'varve';
    for (const call of this.#calls.values()) call.ready = Math.max(call.ready, start);
    this.#failure = undefined;
    this.#run = this.#begin(`invoke_agent ${name}`, id, {
      start,
      ...(part !== undefined && { part }),
      traceId: traceIdOf(within?.run ?? id),
      ...(within && { parentSpanId: spanIdOf(within.event) }),
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        ...this.#provider,
        'gen_ai.agent.name': name,
        'gen_ai.conversation.id': this.#conversationId,
      },
    });
    return this.#run;
  }

  #endRun(at: number): void {
    if (!this.#run) return;
    this.#touch(at, this.#run);
    const failure = this.#status === 'error' ? { 'error.type': this.#failure ?? '_OTHER' } : {};
    this.#closeRun({ ...failure, 'varve.status': this.#status });
  }

  /** Ends the run and what belongs to it; calls and waits may end during a later run. */
  #closeRun(attributes: Attributes): void {
    this.#endReply();
    this.#endStep();
    const content = { ...messagesAttribute('input', this.#input), ...messagesAttribute('output', this.#output) };
    if (this.#run) this.#end(this.#run, this.#run.end, { ...attributes, ...content });
    this.#run = undefined;
    this.#input = [];
    this.#output = [];
  }

  #addCall(id: string, call: Call): void {
    const end = call.at * 1000;
    const start = Math.max(0, end - Math.round(call.latency_ms * 1000));
    const isOfAgent = call.usage_id === 'agent';
    const finish = finishWord(call);
    this.#endReply();
    if (isOfAgent) {
      this.#endStep();
      const run = this.#run ?? this.#beginRun(id, start, implicit);
      if (finish !== undefined) this.#step = this.#begin('step', id, { part: '/step', start, parent: run });
    }
    const parent = (isOfAgent && this.#step) || this.#run;
    const span = this.#begin(`chat ${call.model}`, id, {
      kind: 'client',
      start,
      parent,
      attributes: {
        ...(isOfAgent ? this.#provider : providerAttributes(null)),
        ...this.#parameters.get(call.digests.parameters),
        ...replyAttributes(call),
        'gen_ai.conversation.id': this.#conversationId,
      },
    });
    this.#touch(end, span, parent, this.#run);
    this.#reply = { span, finish, missing: new Set([...call.actions, call.message_id ?? []].flat()), parts: [] };
    if (this.#reply.missing.size === 0) this.#endReply();
  }

  #addToReply(event: ActionEvent | MessageEvent): void {
    if (!this.#reply?.missing.delete(event.id)) return;
    if (this.#hasContent) this.#reply.parts.push(...replyParts(event));
    if (this.#reply.missing.size === 0) this.#endReply();
  }

  #endReply(): void {
    const reply = this.#reply;
    if (!reply) return;
    this.#reply = undefined;
    this.#output = reply.parts;
    this.#end(reply.span, reply.span.end, messagesAttribute('output', reply.parts, reply.finish));
  }

  #endStep(): void {
    if (this.#step) this.#end(this.#step, this.#step.end);
    this.#step = undefined;
  }

  #awaitDecisions(start: number): void {
    for (const call of this.#calls.values()) if (call.asks && !call.span) this.#awaitDecision(call, start);
  }

  #awaitDecision(call: OpenCall, start: number): void {
    call.wait ??= this.#begin(`approval ${call.event.tool_name}`, call.event.id, {
      part: '/approval',
      start,
      parent: this.#step ?? this.#run,
      attributes: toolAttributes(call.event),
    });
  }

  #decide(actionId: string, decision: string, at: number): void {
    const call = this.#calls.get(actionId);
    if (!call?.wait) return;
    this.#end(call.wait, at, { 'varve.decision': decision });
    call.ready = Math.max(call.ready, at);
    call.wait = undefined;
    call.asks = false;
  }

  #startCall(actionId: string, at: number): void {
    const call = this.#calls.get(actionId);
    if (call) this.#executionOf(call, at);
  }

  #executionOf(call: OpenCall, at = call.ready): Work {
    call.span ??= this.#begin(`execute_tool ${call.event.tool_name}`, call.event.id, {
      start: Math.max(call.ready, at),
      parent: this.#step ?? this.#run,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        ...toolAttributes(call.event),
        'gen_ai.tool.type': 'function',
        'gen_ai.conversation.id': this.#conversationId,
      },
    });
    return call.span;
  }

  #endCall(result: ResultEvent, at: number): void {
    const call = this.#answered(result);
    if (!call) return;
    const { event } = call;
    const isRejected = UserRejectObservation.is(result);
    const isUnstarted = isRejected && !call.span;
    // A call that hooks or rules deny waits for no one.
    if (isUnstarted) this.#awaitDecision(call, call.ready);
    this.#decide(event.id, isRejected ? 'rejected' : 'not needed', at);
    this.#calls.delete(event.id);
    this.#touch(at, this.#step, this.#run);
    if (isUnstarted) return;
    const failure = ObservationEvent.is(result) ? result.observation.is_error && 'tool_error' : result.kind;
    this.#end(this.#executionOf(call), at, {
      ...(failure !== false && { 'error.type': failure }),
      ...(this.#hasContent && callContent(event, result)),
    });
  }

  /** An agent error names only a tool call id: it is the result of the oldest call with that id. */
  #answered(result: ResultEvent): OpenCall | undefined {
    const id = callIdOf(result);
    if (!AgentErrorEvent.is(result)) return this.#calls.get(id);
    return [...this.#calls.values()].find(({ event }) => event.tool_call_id === id);
  }

  #begin(
    name: string,
    id: string,
    { part, start, parent, kind = 'internal', traceId = parent?.traceId ?? traceIdOf(id), ...rest }: SpanParts,
  ): Work {
    const spanId = spanIdOf(id, part);
    const parentSpanId = parent && { parentSpanId: parent.spanId };
    const work: Work = { traceId, spanId, ...parentSpanId, name, kind, start, end: start, attributes: {}, ...rest };
    this.#changes.push({ kind: 'begun', span: { ...work } });
    return work;
  }

  #end(work: Work, at: number, added: Attributes = {}): void {
    const attributes = { ...work.attributes, ...added };
    const isError = 'error.type' in attributes && { isError: true as const };
    this.#changes.push({ kind: 'ended', span: { ...work, end: Math.max(work.start, at), attributes, ...isError } });
  }

  #touch(at: number, ...works: readonly (Work | undefined)[]): void {
    for (const work of works) if (work) work.end = Math.max(work.end, at);
  }
}

/** Beginning of a run. */
interface BegunRun extends Pick<NonNullable<ReturnType<typeof runFact.read>>, 'within'> {
  readonly part?: string;
}

/** Run of a log of another system, which does not contain its beginning: the event is that of another span too. */
const implicit: BegunRun = { part: '/run' };

/** What a span begins with, except for its name and the event that it describes. */
interface SpanParts extends Partial<Pick<Span, 'kind' | 'traceId' | 'parentSpanId' | 'attributes'>> {
  readonly start: number;
  readonly part?: string;
  readonly parent?: Work | undefined;
}

/** Returns the spans of a log; those that have not ended are last. */
export function spansOf(
  conversationId: string,
  events: Iterable<BaseEvent>,
  options?: { readonly content?: boolean },
): readonly Span[] {
  const fold = new SpanFold(conversationId, options);
  const changes = [...events].flatMap((event) => fold.apply(event));
  return [...changes.flatMap(({ kind, span }) => (kind === 'ended' ? [span] : [])), ...fold.open()];
}

function toolAttributes({ tool_name: name, tool_call_id: id }: ActionEvent): Attributes {
  return { 'gen_ai.tool.name': name, 'gen_ai.tool.call.id': id };
}

/** Returns the UTC microseconds of a timestamp, which is local time of this machine; 0 for other text. */
function microsOf(timestamp: string): number {
  const ms = Date.parse(timestamp.slice(0, 19));
  return Number.isNaN(ms) ? 0 : ms * 1000 + Number(/\.(\d{1,6})/.exec(timestamp)?.[1]?.padEnd(6, '0') ?? '0');
}
