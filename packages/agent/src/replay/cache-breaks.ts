import type { BaseEvent, Message, TokenUsage } from '@varve/events';
import { condensationFact, maskFact, type Call } from '@varve/events/facts';
import type { Rebuilt } from './rebuilt-requests.ts';

/** Difference between a request and the one before it. */
interface CacheCause {
  /**
   * `messages`: earlier messages changed for another reason, such as a late result. `server`: the requests agree, so
   * the server dropped its cache, by itself or because of the time without a request.
   */
  readonly kind:
    | 'model'
    | 'tools'
    | 'parameters'
    | 'prompt'
    | 'condensation'
    | 'mask'
    | 'branch'
    | 'messages'
    | 'server';
  /** Event that changed the messages. */
  readonly seq?: number;
  /** Names of the models, tools or parameters, or of the condenser. */
  readonly detail?: string;
}

/** Request whose beginning the server had to read again, although the request before had the same or a similar one. */
export interface CacheBreak {
  /** Seq of the reply. */
  readonly seq: number;
  readonly causes: readonly CacheCause[];
  /** Number of the first message that differs, from 0, and of the messages before; absent if all agree. */
  readonly message?: { readonly at: number; readonly of: number };
  /** Milliseconds between the reply before and the request. */
  readonly idleMs: number;
  /** Tokens that could have come from the cache; absent if the server of the model never reported cached tokens. */
  readonly tokens?: number;
  /** Their cost in US dollars beyond that of cached ones; absent if the price is unknown. */
  readonly costUsd?: number;
}

/** Returns the cost of tokens of a model in US dollars; undefined if the price is unknown. */
export type CostOf = (model: string, usage: TokenUsage) => number | undefined;

/** Reply of the agent's model. */
type Answered = Required<Pick<Rebuilt, 'seq' | 'call' | 'request'>>;

/** Compares each request of a log with the one before. */
export class CacheBreaks {
  readonly #costOf: CostOf;
  readonly #found: (CacheBreak & { readonly model: string })[] = [];
  /** Models whose server reports cached tokens. */
  readonly #reporting = new Set<string>();
  /** Changes of messages since the last request. */
  #changes: CacheCause[] = [];
  #before: Answered | undefined;

  constructor(costOf: CostOf) {
    this.#costOf = costOf;
  }

  add({ seq, event, call, request, isMove }: Rebuilt): void {
    if (call && request) {
      const answered = { seq, call, request };
      if (this.#before && !call.inherited) this.#compare(this.#before, answered);
      const { cache_read_tokens: read = 0, cache_write_tokens: written = 0 } = call.usage ?? {};
      if (read + written > 0) this.#reporting.add(call.model);
      this.#before = answered;
      this.#changes = [];
    } else {
      const change = changeOf(event, isMove);
      if (change) this.#changes.push({ ...change, seq });
    }
  }

  /**
   * Returns the breaks in order. Where the server never reports cached tokens, those that a changed request proves;
   * parameters prove nothing there.
   */
  found(): readonly CacheBreak[] {
    return this.#found.flatMap(({ model, tokens = 0, costUsd, ...found }) => {
      if (!this.#reporting.has(model)) return found.causes.every(({ kind }) => kind === 'parameters') ? [] : [found];
      return tokens > 0 ? [{ ...found, tokens, ...(costUsd !== undefined && { costUsd }) }] : [];
    });
  }

  #compare({ call: lastCall, request: last }: Answered, { seq, call, request }: Answered): void {
    const at = firstDifference(last.messages, request.messages);
    const isPrompt = at !== undefined && last.messages[at]?.role === 'system';
    const changes: CacheCause[] = this.#changes.length > 0 ? this.#changes : [{ kind: 'messages' }];
    const causes: readonly CacheCause[] = [
      ...changedParts('model', { [lastCall.model]: true }, { [call.model]: true }),
      ...changedParts('tools', byName(last.tools), byName(request.tools)),
      ...changedParts('parameters', { ...last.parameters }, { ...request.parameters }),
      ...(at === undefined ? [] : isPrompt ? [{ kind: 'prompt' as const }] : changes),
    ];
    const tokens = heldTokens(lastCall, call, causes.length > 0) - (call.usage?.cache_read_tokens ?? 0);
    if (causes.length === 0 && tokens <= 0) return;
    const costUsd = this.#lost(call, tokens);
    this.#found.push({
      seq,
      model: call.model,
      causes: causes.length > 0 ? causes : [{ kind: 'server' }],
      ...(at !== undefined && { message: { at, of: last.messages.length } }),
      idleMs: Math.max(0, Math.round(call.at - call.latency_ms - lastCall.at)),
      tokens,
      ...(costUsd !== undefined && { costUsd }),
    });
  }

  /** The price is known if it explains the cost that was stored. */
  #lost({ model, usage, cost_usd: cost }: Call, tokens: number): number | undefined {
    const actual = usage && this.#costOf(model, usage);
    if (!usage || cost === undefined || actual === undefined || Math.abs(actual - cost) > 1e-6 * cost) return undefined;
    const read = Math.min(usage.input_tokens, usage.cache_read_tokens + tokens);
    const written = Math.min(usage.cache_write_tokens, usage.input_tokens - read);
    const cached = this.#costOf(model, { ...usage, cache_read_tokens: read, cache_write_tokens: written });
    return cached === undefined ? undefined : Math.max(0, cost - cached);
  }
}

function changeOf(event: BaseEvent, isMove: boolean): CacheCause | undefined {
  if (isMove) return { kind: 'branch' };
  const condensed = condensationFact.read(event);
  if (condensed)
    return condensed.condensation_id === undefined ? undefined : { kind: 'condensation', detail: condensed.condenser };
  return maskFact.read(event) ? { kind: 'mask' } : undefined;
}

type Parts = Readonly<Record<string, unknown>>;

function changedParts(kind: CacheCause['kind'], before: Parts, now: Parts): readonly CacheCause[] {
  const names = Object.keys({ ...before, ...now }).filter((name) => {
    return before[name] !== now[name] && JSON.stringify(before[name]) !== JSON.stringify(now[name]);
  });
  return names.length > 0 ? [{ kind, detail: names.join(', ') }] : [];
}

function byName(tools: Answered['request']['tools']): Parts {
  return Object.fromEntries(tools.map((tool) => [tool.name, tool]));
}

/**
 * Returns the tokens that the cache could have: those of the request before, as far as this one is as long. Without a
 * change of the request only those count that the server had reported as cached, because not every server caches all.
 */
function heldTokens({ usage: before }: Call, { usage }: Call, isChanged: boolean): number {
  if (!before || !usage) return 0;
  const known = isChanged ? before.input_tokens : before.cache_read_tokens + before.cache_write_tokens;
  return Math.min(known, usage.input_tokens);
}

/** Returns the number of the first message that another request does not begin with; undefined if it has all. */
function firstDifference(before: readonly Message[], messages: readonly Message[]): number | undefined {
  const at = before.findIndex((message, index) => !isSame(message, messages[index], index === before.length - 1));
  return at === -1 ? undefined : at;
}

/** Messages of the user are merged, so the last one may have more content next time. */
function isSame(old: Message, message: Message | undefined, isLast: boolean): boolean {
  if (old === message) return true;
  if (!message) return false;
  const content = isLast && old.role === 'user' ? message.content.slice(0, old.content.length) : message.content;
  return JSON.stringify(old) === JSON.stringify({ ...message, content });
}
