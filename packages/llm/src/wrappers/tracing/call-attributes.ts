import type { Attributes } from '@opentelemetry/api';
import { baseUrlOf } from '../../base-url-of.ts';
import type { LanguageModel } from '../../language-model.ts';
import type { FinishReason, ModelReply } from '../../model-reply.ts';
import type { ModelRequest } from '../../model-request.ts';

/**
 * Returns the span attributes of a request, following the conventions for generative AI.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
 */
export function requestAttributes(model: LanguageModel, { parameters, cacheKey }: ModelRequest): Attributes {
  const { temperature, topP, maxOutputTokens, seed } = parameters;
  const address = URL.parse(baseUrlOf(model.spec) ?? '');
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': address ? providerOf(address.hostname) : 'varve',
    'gen_ai.request.model': model.name,
    ...(cacheKey !== undefined && { 'gen_ai.conversation.id': cacheKey }),
    ...(temperature !== undefined && { 'gen_ai.request.temperature': temperature }),
    ...(topP !== undefined && { 'gen_ai.request.top_p': topP }),
    ...(maxOutputTokens !== undefined && { 'gen_ai.request.max_tokens': maxOutputTokens }),
    ...(seed !== undefined && { 'gen_ai.request.seed': seed }),
    ...(address && { 'server.address': address.hostname, 'server.port': portOf(address) }),
  };
}

/** Returns the span attributes of a reply. There are no conventions yet for attempts and cost. */
export function replyAttributes({ id, model, finish, usage, costUsd, attempts }: ModelReply): Attributes {
  return {
    'gen_ai.response.id': id,
    'gen_ai.response.model': model,
    'gen_ai.response.finish_reasons': [finishWords[finish]],
    ...(usage && {
      'gen_ai.usage.input_tokens': usage.input_tokens,
      'gen_ai.usage.output_tokens': usage.output_tokens,
      'gen_ai.usage.cache_read.input_tokens': usage.cache_read_tokens,
      'gen_ai.usage.cache_creation.input_tokens': usage.cache_write_tokens,
    }),
    ...(costUsd !== undefined && { 'varve.cost_usd': costUsd }),
    'varve.attempts': attempts,
  };
}

/** Finish reasons in the words of the conventions. */
export const finishWords: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  'tool-calls': 'tool_call',
  length: 'length',
  'content-filter': 'content_filter',
  'unread-calls': 'stop',
  unknown: 'unknown',
};

/** Provider names of the conventions; other providers are named by their host. */
const names: readonly (readonly [host: RegExp, name: string])[] = [
  [/(?:^|\.)openai\.com$/, 'openai'],
  [/(?:^|\.)openai\.azure\.com$/, 'azure.ai.openai'],
  [/(?:^|\.)services\.ai\.azure\.com$/, 'azure.ai.inference'],
  [/(?:^|\.)anthropic\.com$/, 'anthropic'],
  [/(?:^|\.)generativelanguage\.googleapis\.com$/, 'gcp.gemini'],
  [/(?:^|\.)deepseek\.com$/, 'deepseek'],
  [/(?:^|\.)groq\.com$/, 'groq'],
  [/(?:^|\.)mistral\.ai$/, 'mistral_ai'],
  [/(?:^|\.)x\.ai$/, 'x_ai'],
];

function providerOf(host: string): string {
  return names.find(([pattern]) => pattern.test(host))?.[1] ?? host;
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}
