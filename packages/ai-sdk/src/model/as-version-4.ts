import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
} from '@ai-sdk/provider';

/** Returns a model of the third version as one of the fourth: it receives files without the kind of their data. */
export function asVersion4(model: LanguageModelV3 | LanguageModelV4): LanguageModelV4 {
  if (model.specificationVersion === 'v4') return model;
  const version4 = {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: async (options: LanguageModelV4CallOptions) => model.doGenerate(optionsOf(options)),
    doStream: async (options: LanguageModelV4CallOptions) => model.doStream(optionsOf(options)),
  };
  // Only files differ, which `ContentAssembly` reads in both forms.
  return version4 as unknown as LanguageModelV4;
}

function optionsOf({ prompt, ...options }: LanguageModelV4CallOptions): LanguageModelV3CallOptions {
  return { ...options, prompt: prompt.map(withPlainFiles) } as LanguageModelV3CallOptions;
}

function withPlainFiles(message: LanguageModelV4Message): unknown {
  if (message.role === 'system') return message;
  return { ...message, content: message.content.map((part) => (part.type === 'file' ? withPlainData(part) : part)) };
}

function withPlainData(part: { readonly data: unknown }): unknown {
  const data = part.data as { readonly data?: unknown; readonly url?: unknown };
  return { ...part, data: data.data ?? data.url };
}
