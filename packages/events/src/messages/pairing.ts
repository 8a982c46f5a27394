import type { BaseEvent } from '../define-event.ts';
import { ActionEvent } from '../kinds/action-event.ts';
import { AgentErrorEvent } from '../kinds/agent-error-event.ts';
import { isResult, type ResultEvent } from './results.ts';
import { uniqueCallIds } from './provider-rules.ts';

/** Call of a reply while its result may follow. */
export interface OpenCall {
  readonly event: ActionEvent;
  readonly wireId: string;
  readonly reply: OpenReply;
  /** First result after the call, else the first result before it. */
  result?: ResultEvent;
  /** True if a result follows the call. */
  isAnswered: boolean;
}

interface OpenReply {
  readonly id: string;
  readonly calls: OpenCall[];
  readonly start: number;
  readonly members: number[];
  /** Number of calls without a result after them. */
  unanswered: number;
}

/** Pairs the calls and results of a growing view by the rules of `repliesOf`. */
export class Pairing {
  readonly #replies: OpenReply[] = [];
  readonly #byAction = new Map<string, OpenCall>();
  /** Calls by tool call id. Those before `next` have results. */
  readonly #byCallId = new Map<string, { readonly calls: OpenCall[]; next: number }>();
  /** Results that precede their action. */
  readonly #early = new Map<string, { readonly first: ResultEvent; readonly indices: number[] }>();
  readonly #wireId = uniqueCallIds();
  #current: OpenReply | undefined;

  get replies(): readonly OpenReply[] {
    return this.#replies;
  }

  /** Processes the next event of the view and returns the reply that it belongs to. */
  add(event: BaseEvent, index: number): OpenReply | undefined {
    if (ActionEvent.is(event)) return this.#addAction(event, index);
    if (isResult(event)) return this.#addResult(event, index);
    this.#current = undefined;
    return undefined;
  }

  #addAction(event: ActionEvent, index: number): OpenReply {
    const known = this.#byAction.get(event.id);
    if (known) {
      known.reply.members.push(index);
      return known.reply;
    }
    const reply = this.#replyFor(event.llm_response_id, index);
    const early = this.#early.get(event.id);
    const wireId = this.#wireId(event.tool_call_id);
    const call: OpenCall = { event, wireId, reply, isAnswered: false, ...(early && { result: early.first }) };
    reply.calls.push(call);
    reply.members.push(index, ...(early?.indices ?? []));
    reply.unanswered++;
    this.#byAction.set(event.id, call);
    const sameId = this.#byCallId.get(event.tool_call_id);
    if (sameId) sameId.calls.push(call);
    else this.#byCallId.set(event.tool_call_id, { calls: [call], next: 0 });
    return reply;
  }

  #addResult(result: ResultEvent, index: number): OpenReply | undefined {
    const call = AgentErrorEvent.is(result)
      ? this.#oldestOpen(result.tool_call_id)
      : this.#byAction.get(result.action_id);
    if (!call) {
      if (!AgentErrorEvent.is(result)) this.#keepEarly(result, result.action_id, index);
      return undefined;
    }
    const { reply } = call;
    reply.members.push(index);
    if (call.isAnswered) return reply;
    call.isAnswered = true;
    call.result = result;
    reply.unanswered--;
    // Errors of invalid calls may occur between the calls of one reply. Results of tools follow all of them.
    const isOver = reply.unanswered === 0 && !AgentErrorEvent.is(result);
    if (isOver && reply === this.#current) this.#current = undefined;
    return reply;
  }

  #keepEarly(result: ResultEvent, actionId: string, index: number): void {
    const early = this.#early.get(actionId);
    if (early) early.indices.push(index);
    else this.#early.set(actionId, { first: result, indices: [index] });
  }

  #replyFor(id: string, index: number): OpenReply {
    if (this.#current?.id === id) return this.#current;
    const reply: OpenReply = { id, calls: [], start: index, members: [], unanswered: 0 };
    this.#replies.push(reply);
    this.#current = reply;
    return reply;
  }

  /** Returns the oldest call with this id and without a result, else the last call with this id. */
  #oldestOpen(callId: string): OpenCall | undefined {
    const same = this.#byCallId.get(callId);
    if (!same) return undefined;
    for (let call = same.calls[same.next]; call?.isAnswered; call = same.calls[same.next]) same.next++;
    return same.calls[same.next] ?? same.calls.at(-1);
  }
}
