import { withoutUndefined } from '@varve/text';
import { openaiChat } from '../chat/openai-chat.ts';
import type { LanguageModel } from '../language-model.ts';
import type { ProtocolOptions } from '../protocol/protocol.ts';
import type { ModelFromOptions } from './model-from.ts';
import { providers } from './providers.ts';

/** Packages of the AI SDK that speak the own protocol of a provider, by its name in the list. */
const packages: Readonly<Record<string, { readonly name: string; readonly create: string; readonly baseURL: string }>> =
  {
    anthropic: { name: '@ai-sdk/anthropic', create: 'createAnthropic', baseURL: 'https://api.anthropic.com/v1' },
    gemini: {
      name: '@ai-sdk/google',
      create: 'createGoogle',
      baseURL: 'https://generativelanguage.googleapis.com/v1beta',
    },
    mistral: { name: '@ai-sdk/mistral', create: 'createMistral', baseURL: 'https://api.mistral.ai/v1' },
  };

const bridge = '@varve/ai-sdk';

/** Loads a module by its name. */
type Load = (name: string) => Promise<unknown>;

/**
 * Returns the `native` of an application: models of providers with packages are called in their own protocols, if
 * `load`, such as `(name) => import(name)`, finds these. Otherwise they are called in that of OpenAI, and `onMissing`
 * receives a sentence with what to install, once for each model.
 */
export function nativeModels(
  load: Load,
  onMissing?: (problem: string) => void,
): NonNullable<ModelFromOptions['native']> {
  return (options) => {
    const origin = URL.parse(options.baseUrl ?? '')?.origin;
    const provider = Object.keys(packages).find((each) => new URL(providers[each]?.baseUrl ?? '').origin === origin);
    if (provider === undefined) return undefined;
    const compatible = openaiChat(options);
    let loaded: Promise<LanguageModel> | undefined;
    const model = (): Promise<LanguageModel> =>
      (loaded ??= loadModel(provider, options, load).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
        onMissing?.(
          `Models of ${provider} are called in the protocol of OpenAI. For their own one: npm install ${bridge} ${packages[provider]?.name}`,
        );
        return compatible;
      }));
    return { ...compatible, generate: async (request, given) => (await model()).generate(request, given) };
  };
}

interface Bridge {
  readonly aiSdkModel: (model: unknown, options: Omit<ProtocolOptions, 'model'>) => LanguageModel;
}

type Provider = Readonly<Record<string, (settings: object) => (model: string) => unknown>>;

async function loadModel(provider: string, options: ProtocolOptions, load: Load): Promise<LanguageModel> {
  const { name = '', create = '', baseURL } = packages[provider] ?? {};
  const [{ aiSdkModel }, made] = (await Promise.all([load(bridge), load(name)])) as [Bridge, Provider];
  const { model, apiKey, headers, fetch, parameters, vision, contextWindow, maxOutputTokens, ...rest } = options;
  const { timeoutMs, idleTimeoutMs } = rest;
  const created = made[create]?.(withoutUndefined({ baseURL, apiKey, headers, fetch }))(model);
  const known = { parameters, vision, contextWindow, maxOutputTokens, timeoutMs, idleTimeoutMs };
  return aiSdkModel(created, withoutUndefined(known));
}
