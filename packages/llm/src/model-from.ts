import { LlmError } from './error.ts';
import { isLoopback } from './is-loopback.ts';
import type { LanguageModel } from './language-model.ts';
import { openaiChat } from './chat/openai-chat.ts';
import type { ProtocolOptions } from './protocol/protocol-model.ts';
import { providers, type Provider } from './providers.ts';
import { openaiResponses } from './responses/openai-responses.ts';

/** What a reference leaves open. */
export interface ModelFromOptions extends Omit<ProtocolOptions, 'model'> {
  /** Where keys are looked up when `apiKey` is absent, usually the environment: each under its provider's name only. */
  readonly keys?: Readonly<Record<string, string | undefined>>;
  /** Tells the window of the model when `contextWindow` is absent; `modelCatalog` makes one. */
  readonly catalog?: {
    find(query: { readonly model: string; readonly baseUrl: string }): { readonly contextWindow?: number } | undefined;
  };
}

/**
 * The model that a reference names: `provider/model` for a provider of the list, `model` alone for OpenAI's, `address#model`
 * for any server. With a `baseUrl`, the reference is the model's name there, and a leading `openai/` means only the protocol.
 * Images are taken by models that are known to see, unless `vision` says otherwise.
 *
 * @throws {LlmError} `bad-request` when it names no known provider or no model, `unauthenticated` when there is no key for a
 * provider that wants one.
 */
export function modelFrom(reference: string, options: ModelFromOptions = {}): LanguageModel {
  const { keys, catalog, ...rest } = options;
  const named = namedBy(reference.trim(), options.baseUrl);
  const { model, baseUrl } = named;
  if (model === '') throw new LlmError('bad-request', `The model reference "${reference}" names no model.`);
  const apiKey = options.apiKey ?? keyOf(named, keys ?? {});
  const contextWindow = options.contextWindow ?? catalog?.find({ model, baseUrl })?.contextWindow;
  const given: ProtocolOptions = {
    vision: seeing.test(model.toLowerCase()),
    ...rest,
    model,
    baseUrl,
    ...(apiKey !== undefined && { apiKey }),
    ...(contextWindow !== undefined && { contextWindow }),
  };
  return named.protocol === 'responses' ? openaiResponses(given) : openaiChat(given);
}

/** Families of models that take images, with the maker's name before them or not. */
const seeing =
  /(?:^|\/)(?:gpt-(?:4o|4\.1|[5-9])|chatgpt-4o|o[134](?:-|$)|claude-|gemini-|gemma-?3|grok-4|kimi-(?:k2\.[5-9]|k3)|llama-?4|pixtral|qwen.*vl|llava)/;

interface Named extends Provider {
  readonly model: string;
  /** As the reference has it; absent when it has none. */
  readonly provider?: string;
}

function namedBy(reference: string, baseUrl: string | undefined): Named {
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

/** A router's own names begin with a maker, so there `openai/` is one unless another follows. */
function nameAt(baseUrl: string, reference: string): string {
  const rest = reference.replace(/^openai\//, '');
  return /\/\/(?:[\w-]+\.)?openrouter\.ai(?:[:/]|$)/.test(baseUrl) && !rest.includes('/') ? reference : rest;
}

/** A key is never sent to another provider than its own; a server that is named by its address has none. */
function keyOf({ baseUrl, provider, keyName }: Named, keys: NonNullable<ModelFromOptions['keys']>): string | undefined {
  const key = keyName === undefined ? undefined : keys[keyName]?.trim() || undefined;
  if (key !== undefined || keyName === undefined || isLoopback(baseUrl)) return key;
  throw new LlmError('unauthenticated', `There is no key for ${provider}: ${keyName} is not set.`);
}
