import { providers } from '../providers/providers.ts';

/** Provider names of LiteLLM that differ from those here. */
const otherNames = {
  together_ai: 'together',
  fireworks_ai: 'fireworks',
  ollama_chat: 'ollama',
  lm_studio: 'lmstudio',
  hosted_vllm: 'vllm',
} as const;

/**
 * Addresses of the providers with which a model name of LiteLLM may begin; empty for those that need a `base_url`.
 *
 * @see https://docs.litellm.ai/docs/providers
 */
export const litellmProviders: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(providers).map(([name, { baseUrl }]) => [name, baseUrl])),
  ...Object.fromEntries(Object.entries(otherNames).map(([name, ours]) => [name, providers[ours]?.baseUrl ?? ''])),
  openhands: 'https://llm-proxy.app.all-hands.dev/v1',
  litellm_proxy: '',
};
