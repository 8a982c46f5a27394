import type { Json } from '../json.ts';
import type { Call } from '../facts/call.ts';
import { baseUrlOf } from '../specs/base-url-of.ts';
import type { Attributes } from './span.ts';

/** Finish reasons of replies in the words of the conventions; a call with another one failed for that reason. */
const finishWords = new Map([
  ['stop', 'stop'],
  ['tool-calls', 'tool_call'],
  ['length', 'length'],
  ['content-filter', 'content_filter'],
  ['unread-calls', 'stop'],
  ['unknown', 'unknown'],
]);

/** Attributes of parameters of a request, by their names in the log. */
const parameterNames = {
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  maxOutputTokens: 'gen_ai.request.max_tokens',
  seed: 'gen_ai.request.seed',
} as const;

/** Provider names of the conventions; other providers are named by their host. */
const providers: readonly (readonly [host: RegExp, name: string])[] = [
  [/(?:^|\.)openai\.com$/, 'openai'],
  [/(?:^|\.)openai\.azure\.com$/, 'azure.ai.openai'],
  [/(?:^|\.)services\.ai\.azure\.com$/, 'azure.ai.inference'],
  [/(?:^|\.)anthropic\.com$/, 'anthropic'],
  [/(?:^|\.)generativelanguage\.googleapis\.com$/, 'gcp.gemini'],
  [/(?:^|\.)deepseek\.com$/, 'deepseek'],
  [/(?:^|\.)groq\.com$/, 'groq'],
  [/(?:^|\.)mistral\.ai$/, 'mistral_ai'],
  [/(?:^|\.)moonshot\.(?:ai|cn)$/, 'moonshot_ai'],
  [/(?:^|\.)perplexity\.ai$/, 'perplexity'],
  [/(?:^|\.)x\.ai$/, 'x_ai'],
];

/** Returns the finish reason in the words of the conventions; undefined for a call that failed. */
export function finishWord({ finish }: Call): string | undefined {
  return finishWords.get(finish);
}

/**
 * Returns the attributes of a reply. The input includes cached tokens. There is no convention yet for the cost.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/v0.1.0/docs/gen-ai/client-inference.md
 */
export function replyAttributes(call: Call): Attributes {
  const { usage, cost_usd: costUsd } = call;
  const finish = finishWord(call);
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': call.model,
    'gen_ai.response.id': call.response_id,
    'gen_ai.response.model': call.model,
    ...(finish === undefined ? { 'error.type': call.finish } : { 'gen_ai.response.finish_reasons': [finish] }),
    ...(usage && {
      'gen_ai.usage.input_tokens': usage.input_tokens,
      'gen_ai.usage.output_tokens': usage.output_tokens,
      ...nonZero('gen_ai.usage.cache_read.input_tokens', usage.cache_read_tokens),
      ...nonZero('gen_ai.usage.cache_write.input_tokens', usage.cache_write_tokens),
      ...nonZero('gen_ai.usage.reasoning.output_tokens', usage.reasoning_tokens),
    }),
    ...(costUsd !== undefined && { 'varve.cost_usd': costUsd }),
    'varve.usage_id': call.usage_id,
  };
}

function nonZero(name: string, value = 0): Attributes {
  return value === 0 ? {} : { [name]: value };
}

/** Returns the attributes of the parameters of a request. */
export function parameterAttributes(parameters: Readonly<Record<string, unknown>>): Attributes {
  return Object.fromEntries(
    Object.entries(parameterNames).flatMap(([name, attribute]) => {
      const value = parameters[name];
      return typeof value === 'number' ? [[attribute, value]] : [];
    }),
  );
}

/** Returns the provider of a model and its address, from its spec. */
export function providerAttributes(model: unknown): Attributes {
  const address = URL.parse(baseUrlOf(model as Json) ?? '');
  if (!address) return { 'gen_ai.provider.name': 'varve' };
  const { hostname, port, protocol } = address;
  return {
    'gen_ai.provider.name': providers.find(([pattern]) => pattern.test(hostname))?.[1] ?? hostname,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  };
}
