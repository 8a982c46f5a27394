import {
  applyPlan,
  planOfAnswer,
  type CondenseContext,
  type Condenser,
  type Plan,
  type TokenCounter,
} from '@varve/condensers';
import { eventCodec, type BaseEvent } from '@varve/events';
import { ActionEvent, builtinKinds, MessageEvent, ObservationEvent } from '@varve/events/kinds';
import { withCondensation, withMask, type View } from '@varve/events/projections';
import { estimateRequest } from '@varve/llm';
import { StandInModel } from './stand-in-model.ts';

/** Options of {@link replayCondenser}. */
export interface ReplayCondenserOptions {
  /** Tokens that a request may have. */
  readonly maxInputTokens: number;
}

/** Effect of a condenser on the requests of a log. Tokens are estimates, without the tools. */
export interface CondenserReplay {
  readonly requests: number;
  readonly condensations: number;
  readonly masked: number;
  /** Tokens of all requests without and with the condenser. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Tokens that had been sent, or replace some that had, and that no prompt cache can supply any more. */
  readonly cacheLost: number;
  /** Tokens of the requests of the condenser. */
  readonly condenserTokens: number;
  /** Calls that the agent repeated after their result was forgotten or masked, and the tokens of the new results. */
  readonly readAgain: { readonly calls: number; readonly tokens: number };
  /** Requests that are longer than what the model accepts. */
  readonly tooLong: number;
}

const codec = eventCodec(builtinKinds);
/** Number of plans of a condenser before one request. */
const maxRepetitions = 5;

/** Applies a condenser to a log, before each reply of the agent, without a model. The replies are those of the log. */
export async function replayCondenser(
  log: readonly BaseEvent[],
  condenser: Condenser,
  { maxInputTokens }: ReplayCondenserOptions,
): Promise<CondenserReplay> {
  const replay = new Replay(condenser, maxInputTokens);
  for (const event of log) {
    if (isStartOfReply(event, replay.lastReply)) await replay.request();
    replay.add(event);
  }
  return replay.result();
}

function isStartOfReply(event: BaseEvent, lastReply: string): boolean {
  return replyOf(event) !== undefined && replyOf(event) !== lastReply;
}

function replyOf(event: BaseEvent): string | undefined {
  if (ActionEvent.is(event)) return event.llm_response_id;
  return MessageEvent.is(event) && event.source === 'agent' ? (event.llm_response_id ?? event.id) : undefined;
}

/** One pass of a condenser over a log. */
class Replay {
  readonly #condenser: Condenser;
  readonly #maxInputTokens: number;
  readonly #model = new StandInModel();
  readonly #tokens = tokenCounter();
  readonly #calls = new CallMemory();
  #view: readonly BaseEvent[] = [];
  #sent: readonly BaseEvent[] = [];
  #whole = 0;
  /** Number of events since the last request. */
  #added = 0;
  #plans = 0;
  #counts = {
    requests: 0,
    masked: 0,
    tokensBefore: 0,
    tokensAfter: 0,
    cacheLost: 0,
    tooLong: 0,
    again: 0,
    againTokens: 0,
  };
  lastReply = '';

  constructor(condenser: Condenser, maxInputTokens: number) {
    this.#condenser = condenser;
    this.#maxInputTokens = maxInputTokens;
  }

  add(event: BaseEvent): void {
    this.lastReply = replyOf(event) ?? this.lastReply;
    if (!codec.kind(event.kind)?.isForModel) return;
    this.#view = [...this.#view, event];
    this.#added++;
    this.#whole += this.#tokens.event(event);
    const again = this.#calls.add(event);
    if (!again) return;
    this.#counts.again++;
    this.#counts.againTokens += this.#tokens.event(event);
  }

  /** Condenses the view and measures the request for the next reply. */
  async request(): Promise<void> {
    await this.#condense();
    const total = this.#tokens.request(this.#view);
    const counts = this.#counts;
    counts.requests++;
    counts.tokensBefore += this.#whole;
    counts.tokensAfter += total;
    if (total > this.#maxInputTokens) counts.tooLong++;
    const shared = this.#sent.findIndex((event, index) => event !== this.#view[index]);
    if (shared >= 0)
      counts.cacheLost += this.#tokens.request(this.#view.slice(shared, this.#view.length - this.#added));
    this.#added = 0;
    this.#sent = this.#view;
  }

  result(): CondenserReplay {
    const { requests, masked, tokensBefore, tokensAfter, cacheLost, tooLong, again, againTokens } = this.#counts;
    return {
      requests,
      condensations: this.#plans,
      masked,
      tokensBefore,
      tokensAfter,
      cacheLost,
      condenserTokens: this.#model.tokens,
      readAgain: { calls: again, tokens: againTokens },
      tooLong,
    };
  }

  async #condense(): Promise<void> {
    for (let repetition = 0; repetition < maxRepetitions; repetition++) {
      const isTooLong = this.#tokens.request(this.#view) > this.#maxInputTokens;
      const view: View = { events: this.#view, isCondensationRequested: isTooLong };
      const context = this.#context(isTooLong ? 'demand' : 'check');
      const plan = planOfAnswer(view, await this.#condenser.condense(view, context));
      if (!plan || plan.kind === 'nothing') return;
      this.#apply(view, plan);
    }
  }

  #context(reason: CondenseContext['reason']): CondenseContext {
    const { signal } = new AbortController();
    return {
      signal,
      reason,
      tokens: this.#tokens,
      maxInputTokens: this.#maxInputTokens,
      callModel: this.#model.call,
      failures: 0,
    };
  }

  #apply(view: View, plan: Plan): void {
    this.#plans++;
    const masks = plan.masks ?? [];
    const hidden = [...masks.flatMap(({ eventIds }) => eventIds), ...(plan.kind === 'condensation' ? plan.forget : [])];
    this.#counts.masked += masks.reduce((sum, { eventIds }) => sum + eventIds.length, 0);
    this.#calls.hide(hidden);
    if (plan.kind === 'mask') this.#view = applyPlan(view, plan).events;
    else this.#view = withForgotten(view, plan, this.#plans);
  }
}

/** Each summary of a replay has its own id. */
function withForgotten(
  { events }: View,
  plan: Extract<Plan, { kind: 'condensation' }>,
  number: number,
): readonly BaseEvent[] {
  const masked = (plan.masks ?? []).reduce<readonly BaseEvent[]>(
    (changed, { eventIds, text }) => withMask(changed, { event_ids: eventIds, text }),
    events,
  );
  const { forget, summary, summaryOffset } = plan;
  return withCondensation(masked, {
    id: `planned-${number}`,
    timestamp: '',
    forgotten_event_ids: forget,
    ...(summary !== undefined && { summary }),
    ...(summaryOffset !== undefined && { summary_offset: summaryOffset }),
  });
}

/** Remembers the calls of an agent, and whether their results are still visible. */
class CallMemory {
  /** Keys of calls whose last result the agent no longer sees. */
  readonly #hidden = new Set<string>();
  readonly #keyOf = new Map<string, string>();

  /** Returns true for the result of a call that was made before and whose result was hidden. */
  add(event: BaseEvent): boolean {
    if (ActionEvent.is(event)) this.#keyOf.set(event.id, keyOf(event));
    if (!ObservationEvent.is(event)) return false;
    const key = this.#keyOf.get(event.action_id);
    if (key === undefined) return false;
    this.#keyOf.set(event.id, key);
    return this.#hidden.delete(key);
  }

  hide(ids: readonly string[]): void {
    for (const id of ids) {
      const key = this.#keyOf.get(id);
      if (key !== undefined) this.#hidden.add(key);
    }
  }
}

/** Calls with the same key read the same: the same file or, without a path, the same arguments. */
function keyOf({ tool_name: tool, action, tool_call }: ActionEvent): string {
  const { kind: _kind, ...fields } = { kind: '', ...(action as Readonly<Record<string, unknown>> | undefined) };
  const path = (fields as Readonly<Record<string, unknown>>)['path'];
  return typeof path === 'string'
    ? `${tool} ${path}`
    : `${tool} ${action ? JSON.stringify(fields) : tool_call.arguments}`;
}

function tokenCounter(): TokenCounter {
  const known = new WeakMap<BaseEvent, number>();
  const event = (one: BaseEvent): number => {
    const tokens = known.get(one) ?? estimate(one);
    known.set(one, tokens);
    return tokens;
  };
  return { event, request: (events) => events.reduce((sum, one) => sum + event(one), 0) };
}

function estimate(event: BaseEvent): number {
  if (ActionEvent.is(event)) {
    const { thought: content, tool_call, thinking_blocks } = event;
    return estimateRequest({
      messages: [{ role: 'assistant', content, tool_calls: [tool_call], thinking_blocks }],
      tools: [],
    });
  }
  const message = codec.kind(event.kind)?.toMessage?.(event);
  return message ? estimateRequest({ messages: [message], tools: [] }) : 0;
}
