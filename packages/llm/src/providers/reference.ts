import { LlmError } from '../error.ts';
import { providers } from './providers.ts';

/**
 * Other names of providers with which a reference may begin: those of LiteLLM.
 *
 * @see https://docs.litellm.ai/docs/providers
 */
const otherNames: Readonly<Record<string, string>> = {
  together_ai: 'together',
  fireworks_ai: 'fireworks',
  ollama_chat: 'ollama',
  lm_studio: 'lmstudio',
  hosted_vllm: 'vllm',
  google: 'gemini',
};

/** Names that only select the protocol: the address is given separately. */
const withoutAddress: ReadonlySet<string> = new Set(['azure', 'litellm_proxy', 'openai_like', 'custom_openai']);

/** Names that only select the protocol where an address is given. */
const protocolNames: ReadonlySet<string> = new Set([
  ...withoutAddress,
  'openai',
  'openai-responses',
  'ollama',
  'lmstudio',
  'vllm',
  'llamacpp',
  'ollama_chat',
  'lm_studio',
  'hosted_vllm',
]);

/** Providers whose protocols are not spoken here. */
const unreachable: ReadonlySet<string> = new Set([
  'bedrock',
  'bedrock_converse',
  'sagemaker',
  'sagemaker_chat',
  'vertex_ai',
  'vertex_ai_beta',
  'watsonx',
]);

/** Parts of the reference to a model. */
export interface SplitReference {
  /** Name of the provider in the list; absent for a model without one. */
  readonly provider?: string;
  /** Address of the server that the reference names. */
  readonly address?: string;
  /** Name of the model at the server. */
  readonly model: string;
}

/**
 * Splits a reference into the provider or address with which it begins, and the name of the model there. A first part
 * that is no provider is part of the name.
 */
export function splitReference(reference: string): SplitReference {
  if (/^https?:\/\//.test(reference)) {
    const [address = '', model = ''] = reference.split('#');
    return { address, model };
  }
  const slash = reference.indexOf('/');
  const prefix = slash === -1 ? '' : reference.slice(0, slash);
  const model = reference.slice(slash + 1);
  const name = Object.hasOwn(otherNames, prefix) ? (otherNames[prefix] ?? prefix) : prefix;
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (provider) return { provider: name, address: provider.baseUrl, model };
  return withoutAddress.has(prefix) ? { provider: prefix, model } : { model: reference };
}

/**
 * Returns the name of a model at an address. A first part of the reference that only selects the protocol, or names the
 * provider at the address, is no part of it. On a router, names begin with a maker, unless another maker follows.
 */
export function modelNameAt(baseUrl: string, reference: string): string {
  const { provider, address, model } = splitReference(reference);
  if (provider === undefined) return reference;
  const isRouter = /\/\/(?:[\w-]+\.)?openrouter\.ai(?:[:/]|$)/.test(baseUrl);
  if (isRouter && provider === 'openai' && !model.includes('/')) return reference;
  const isThere = address !== undefined && URL.parse(address)?.origin === URL.parse(baseUrl)?.origin;
  return isThere || protocolNames.has(reference.slice(0, reference.indexOf('/'))) ? model : reference;
}

/** Returns the provider of a model without one in its reference: its maker, or OpenAI if the name reveals none. */
export function makerOf(model: string): string {
  const [, maker = ''] = /^(claude|gemini|deepseek|mistral|kimi|grok)\b/.exec(model.toLowerCase()) ?? [];
  return { claude: 'anthropic', kimi: 'moonshot', grok: 'xai' }[maker] ?? (maker === '' ? 'openai' : maker);
}

/** Returns the error for a reference whose first part is no provider that can be reached. */
export function unknownProvider(reference: string): LlmError {
  const prefix = reference.slice(0, reference.indexOf('/'));
  if (withoutAddress.has(prefix)) {
    return new LlmError('bad-request', `The model ${reference} needs the address of its server.`);
  }
  if (unreachable.has(prefix)) {
    const how =
      'reached only through a proxy that speaks the protocol of OpenAI, as litellm_proxy/NAME with its address';
    return new LlmError('bad-request', `Models of ${prefix} are ${how}.`);
  }
  return new LlmError('bad-request', `Unknown provider "${prefix}".`);
}
