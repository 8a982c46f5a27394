import { LlmError } from '../error.ts';
import { isLoopback } from '@varve/text';
import type { LanguageModel } from '../language-model.ts';
import { openaiChat } from '../chat/openai-chat.ts';
import type { ProtocolOptions } from '../protocol/protocol.ts';
import { providers, type Provider } from './providers.ts';
import { openaiResponses } from '../responses/openai-responses.ts';

/** Options of {@link modelFrom}. */
export interface ModelFromOptions extends Omit<ProtocolOptions, 'model' | 'client'> {
  /** Keys by variable name, usually the environment; used without `apiKey`, each only for its own provider. */
  readonly keys?: Readonly<Record<string, string | undefined>>;
  /** Catalogue that supplies the context window when `contextWindow` is absent, such as that of `modelCatalog`. */
  readonly catalog?: {
    find(query: { readonly model: string; readonly baseUrl: string }): { readonly contextWindow?: number } | undefined;
  };
}

/**
 * Creates the model of a reference: `provider/model` for a provider of the list, `model` alone for OpenAI,
 * `address#model` for any server. With a `baseUrl`, the reference is the name of the model there, and a leading
 * `openai/` only specifies the protocol. `vision` is true by default for models that are known to see images.
 *
 * @throws {LlmError} `bad-request` for an unknown provider or an empty model name, `unauthenticated` without a key for
 * a provider that requires one.
 */
export function modelFrom(reference: string, options: ModelFromOptions = {}): LanguageModel {
  const { keys, catalog, ...rest } = options;
  const named = resolveReference(reference.trim(), options.baseUrl);
  const { model, baseUrl } = named;
  if (model === '') throw new LlmError('bad-request', `The model reference "${reference}" names no model.`);
  const apiKey = options.apiKey ?? keyOf(named, keys ?? {});
  const contextWindow = options.contextWindow ?? catalog?.find({ model, baseUrl })?.contextWindow;
  const adapterOptions: ProtocolOptions = {
    vision: visionModels.test(model.toLowerCase()),
    ...rest,
    model,
    baseUrl,
    ...(apiKey !== undefined && { apiKey }),
    ...(contextWindow !== undefined && { contextWindow }),
  };
  return named.protocol === 'responses' ? openaiResponses(adapterOptions) : openaiChat(adapterOptions);
}

/** Models that accept images, with or without the maker's name in front. */
const visionModels =
  /(?:^|\/)(?:gpt-(?:4o|4\.1|[5-9])|chatgpt-4o|o[134](?:-|$)|claude-|gemini-|gemma-?3|grok-4|kimi-(?:k2\.[5-9]|k3)|llama-?4|pixtral|qwen.*vl|llava)/;

interface ResolvedReference extends Provider {
  readonly model: string;
  /** Provider name of the reference; absent when it has none. */
  readonly provider?: string;
}

function resolveReference(reference: string, baseUrl: string | undefined): ResolvedReference {
  if (baseUrl !== undefined) return { baseUrl, model: nameAt(baseUrl, reference), protocol: 'chat' };
  if (/^https?:\/\//.test(reference)) {
    const [address = '', model = ''] = reference.split('#');
    return { baseUrl: address, model };
  }
  const slash = reference.indexOf('/');
  const provider = slash === -1 ? 'openai' : reference.slice(0, slash);
  const known = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (!known) throw new LlmError('bad-request', `The model reference "${reference}" names no known provider.`);
  return { ...known, provider, model: reference.slice(slash + 1) };
}

/**
 * Removes a leading `openai/`, except on a router, where model names begin with a maker, unless another maker follows.
 */
function nameAt(baseUrl: string, reference: string): string {
  const rest = reference.replace(/^openai\//, '');
  return /\/\/(?:[\w-]+\.)?openrouter\.ai(?:[:/]|$)/.test(baseUrl) && !rest.includes('/') ? reference : rest;
}

/** Returns the key of the provider. A key is never sent to another provider; a server given by its address has none. */
function keyOf(
  { baseUrl, provider, keyName }: ResolvedReference,
  keys: NonNullable<ModelFromOptions['keys']>,
): string | undefined {
  const key = keyName === undefined ? undefined : keys[keyName]?.trim() || undefined;
  if (key !== undefined || keyName === undefined || isLoopback(baseUrl)) return key;
  throw new LlmError('unauthenticated', `There is no key for ${provider}: ${keyName} is not set.`);
}
