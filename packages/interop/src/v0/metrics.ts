import type { BaseEvent, Stamp } from '@varve/events';
import { callFact } from '@varve/events/facts';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import { fieldsOf, integerOf, type Fields } from '../common/foreign-json.ts';
import type { V0Record } from './tool-calls.ts';

const noTokens = {
  model: '',
  prompt_tokens: 0,
  completion_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  context_window: 0,
  per_turn_token: 0,
  response_id: '',
};

/** Accumulated cost and tokens of a V0 agent. Actions carry them without the lists of single calls. */
export class Metrics {
  #cost = 0;
  #tokens: Fields | undefined;

  /** Model of the last call. */
  get model(): string | undefined {
    const model = this.#tokens?.['model'];
    return typeof model === 'string' && model !== '' ? model : undefined;
  }

  /** Adds a call of the model, or applies totals of an import. */
  follow(event: BaseEvent): void {
    const call = callFact.read(event);
    if (call && !call.inherited) {
      const { input_tokens = 0, output_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0 } = call.usage ?? {};
      this.#cost += call.cost_usd ?? 0;
      this.#tokens = {
        model: call.model,
        prompt_tokens: this.#count('prompt_tokens') + input_tokens,
        completion_tokens: this.#count('completion_tokens') + output_tokens,
        cache_read_tokens: this.#count('cache_read_tokens') + cache_read_tokens,
        cache_write_tokens: this.#count('cache_write_tokens') + cache_write_tokens,
        context_window: this.#count('context_window'),
        per_turn_token: input_tokens + output_tokens,
        response_id: call.response_id,
      };
    }
    const totals = totalsOf(event);
    if (!totals) return;
    this.#cost = typeof totals['accumulated_cost'] === 'number' ? totals['accumulated_cost'] : 0;
    this.#tokens = { ...noTokens, ...fieldsOf(totals['accumulated_token_usage']) };
  }

  /** Returns `llm_metrics` of an action; undefined before the first call. */
  fields(): Fields | undefined {
    if (!this.#tokens) return undefined;
    return {
      // V0 refuses a record with a negative cost.
      accumulated_cost: Math.max(0, this.#cost),
      max_budget_per_task: null,
      accumulated_token_usage: this.#tokens,
      costs: [],
      response_latencies: [],
      token_usages: [],
    };
  }

  #count(key: string): number {
    return integerOf(this.#tokens?.[key]) ?? 0;
  }
}

/** Returns the totals of the agent in a `stats` update. */
function totalsOf(event: BaseEvent): Fields | undefined {
  if (!ConversationStateUpdateEvent.is(event) || event.key !== 'stats') return undefined;
  return fieldsOf(fieldsOf(fieldsOf(event.value)?.['usage_to_metrics'])?.['agent']);
}

/** Returns the `stats` update for the metrics of a V0 record, in the form of the reference. */
export function statsUpdate({ llm_metrics }: V0Record): ((stamp: Stamp) => BaseEvent) | undefined {
  const { accumulated_cost, accumulated_token_usage } = fieldsOf(llm_metrics) ?? {};
  const tokens = fieldsOf(accumulated_token_usage);
  if (typeof accumulated_cost !== 'number' || !tokens) return undefined;
  const value = { usage_to_metrics: { agent: { accumulated_cost, accumulated_token_usage: tokens } } };
  return (stamp) => ConversationStateUpdateEvent.create({ key: 'stats', value }, stamp);
}
