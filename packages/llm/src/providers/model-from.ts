import { LlmError } from '../error.ts';
import { isLoopback, withoutUndefined } from '@varve/text';
import type { LanguageModel } from '../language-model.ts';
import { openaiChat } from '../chat/openai-chat.ts';
import type { ProtocolOptions } from '../protocol/protocol.ts';
import { providers, type Provider } from './providers.ts';
import { makerOf, modelNameAt, splitReference, unknownProvider } from './reference.ts';
import { openaiResponses } from '../responses/openai-responses.ts';

/** Options of {@link modelFrom}. */
export interface ModelFromOptions extends Omit<ProtocolOptions, 'model' | 'client'> {
  /** Protocol of the server; default that of the provider in the reference, else `chat`. */
  readonly protocol?: 'chat' | 'responses';
  /**
   * Keys by variable name, usually the environment. Without `apiKey`, the key of the provider at the address is used: a
   * key is sent to no other scheme, host or port, and to no server on this machine.
   */
  readonly keys?: Readonly<Record<string, string | undefined>>;
  /** Returns the model of a provider whose own protocol can be used; undefined for the protocol of OpenAI. */
  readonly native?: ((options: ProtocolOptions) => LanguageModel | undefined) | undefined;
  /** Catalogue that supplies the context window when `contextWindow` is absent, such as that of `modelCatalog`. */
  readonly catalog?: {
    find(query: { readonly model: string; readonly baseUrl: string }): { readonly contextWindow?: number } | undefined;
  };
}

/**
 * Creates the model of a reference: `provider/model` for a provider of the list or a name that LiteLLM has for it,
 * `model` alone for its maker, else for OpenAI, `address#model` for any server. With a `baseUrl`, the reference is the
 * name of the model there, and a leading `openai/`, `litellm_proxy/` or `hosted_vllm/` only specifies the protocol.
 * `vision` is true by default for models that are known to see images.
 *
 * @throws {LlmError} `bad-request` for an unknown provider or an empty model name, `unauthenticated` if `keys` has none
 * for a provider that requires one, or for an unknown server that is not on this machine.
 */
export function modelFrom(reference: string, options: ModelFromOptions = {}): LanguageModel {
  const { keys, catalog, protocol, native, ...rest } = options;
  const named = resolveReference(reference.trim(), options.baseUrl);
  const { model, baseUrl } = named;
  if (model === '') throw new LlmError('bad-request', `The model reference "${reference}" names no model.`);
  const apiKey = options.apiKey ?? keyOf(named, keys);
  const contextWindow = options.contextWindow ?? catalog?.find({ model, baseUrl })?.contextWindow;
  const adapterOptions: ProtocolOptions = {
    vision: modelSeesImages(model),
    ...rest,
    model,
    baseUrl,
    ...withoutUndefined({ apiKey, contextWindow }),
  };
  if ((protocol ?? named.protocol) === 'responses') return openaiResponses(adapterOptions);
  return native?.(adapterOptions) ?? openaiChat(adapterOptions);
}

/** Models that accept images, with or without the maker's name in front. */
const visionModels =
  /(?:^|\/)(?:gpt-(?:4o|4\.1|[5-9])|chatgpt-4o|o[134](?:-|$)|claude-|gemini-|gemma-?3|grok-4|kimi-(?:k2\.[5-9]|k3)|llama-?4|pixtral|qwen.*vl|llava)/;

/** Returns whether a model is known by its name to accept images. */
export function modelSeesImages(model: string): boolean {
  return visionModels.test(model.toLowerCase());
}

interface ResolvedReference extends Provider {
  readonly model: string;
  /** Name of the provider, or address of another server, for errors; absent for what is no address. */
  readonly server?: string;
}

function resolveReference(reference: string, baseUrl: string | undefined): ResolvedReference {
  if (baseUrl !== undefined) return { ...keyNameAt(baseUrl), baseUrl, model: modelNameAt(baseUrl, reference) };
  const { provider, address, model } = splitReference(reference);
  if (provider === undefined && address !== undefined) return { ...keyNameAt(address), baseUrl: address, model };
  if (provider === undefined && reference.includes('/')) throw unknownProvider(reference);
  const server = provider ?? makerOf(model);
  const known = providers[server];
  if (!known) throw unknownProvider(reference);
  return { ...known, server, model };
}

/** Returns the provider at an address, of which scheme, host and port are compared, without its protocol. */
function keyNameAt(address: string): Pick<ResolvedReference, 'server' | 'keyName'> {
  const url = URL.parse(address.trim());
  if (!url || !/^https?:$/.test(url.protocol)) return {};
  const { origin } = url;
  const provider = Object.entries(providers).find(([, { baseUrl }]) => new URL(baseUrl).origin === origin);
  if (!provider) return { server: origin };
  const [server, { keyName }] = provider;
  return { server, ...(keyName !== undefined && { keyName }) };
}

/**
 * Returns the key for the server at an address: that of the provider there.
 *
 * @throws {LlmError} `unauthenticated` if `keys` has none for a provider that requires one, or for an unknown server
 * that is not on this machine.
 */
export function keyForServer(baseUrl: string, keys: ModelFromOptions['keys']): string | undefined {
  return keyOf({ ...keyNameAt(baseUrl), baseUrl, model: '' }, keys);
}

/** Returns the key for a server. A server on this machine needs none. */
function keyOf({ baseUrl, server, keyName }: ResolvedReference, keys: ModelFromOptions['keys']): string | undefined {
  const key = keyName === undefined ? undefined : keys?.[keyName]?.trim() || undefined;
  if (key !== undefined || isLoopback(baseUrl)) return key;
  if (keyName !== undefined) throw noKey(`${server} (${keyName} is not set)`);
  // An invalid address is reported by the adapter.
  if (keys === undefined || server === undefined) return undefined;
  throw noKey(`${server}, which is no known provider`);
}

function noKey(server: string): LlmError {
  return new LlmError('unauthenticated', `No API key for ${server}.`);
}
