import { asRecord, type JsonRecord } from '../kit/json.ts';

/** Names of the tools that every server of the reference has registered. */
const shared = new Set<unknown>(['terminal', 'file_editor', 'task_tracker']);
const builtin: JsonRecord = { finish: 'FinishTool', think: 'ThinkTool' };

/**
 * Returns the fields of an agent that list these tools. Tools that the reference does not know are left out, because
 * it rejects a conversation with an unknown tool.
 */
export function referenceTools(names: readonly unknown[]): JsonRecord {
  const included = Object.entries(builtin).filter(([name]) => names.includes(name));
  return {
    tools: names.filter((name) => shared.has(name)).map((name) => ({ name, params: {} })),
    include_default_tools: included.map(([, name]) => name),
  };
}

/**
 * Returns the `stats` of the reference with the totals of `usage`, keyed by usage id. Single calls are not listed: the
 * log contains them, and the file would grow with every call. Lists that the reference wrote are kept.
 *
 * @see software-agent-sdk openhands/sdk/llm/utils/metrics.py
 */
export function referenceStats(usage: JsonRecord, modelName: unknown, before: unknown): JsonRecord {
  const metricsBefore = asRecord(asRecord(before)?.['usage_to_metrics']) ?? {};
  const metrics = Object.entries(usage).map(([id, value]) => {
    const known = Object.hasOwn(metricsBefore, id) ? asRecord(metricsBefore[id]) : undefined;
    return [id, { ...metricsOf(asRecord(value) ?? {}, modelName, known) }];
  });
  return { usage_to_metrics: { ...metricsBefore, ...Object.fromEntries(metrics) } };
}

function metricsOf(usage: JsonRecord, modelName: unknown, before: JsonRecord = {}): JsonRecord {
  const count = (name: string): number => {
    const value = usage[name];
    return typeof value === 'number' && value >= 0 ? value : 0;
  };
  const tokensBefore = asRecord(before['accumulated_token_usage']) ?? {};
  return {
    model_name: modelName,
    costs: [],
    response_latencies: [],
    token_usages: [],
    ...before,
    accumulated_cost: count('cost_usd'),
    accumulated_token_usage: {
      model: modelName,
      context_window: 0,
      per_turn_token: 0,
      response_id: '',
      ...tokensBefore,
      prompt_tokens: count('input_tokens'),
      completion_tokens: count('output_tokens'),
      cache_read_tokens: count('cache_read_tokens'),
      cache_write_tokens: count('cache_write_tokens'),
      reasoning_tokens: count('reasoning_tokens'),
    },
  };
}
