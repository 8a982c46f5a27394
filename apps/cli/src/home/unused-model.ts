import type { LanguageModel } from '@varve/llm';
import type { StoredAgentParts } from '@varve/settings/agent';

/**
 * Returns the model of a stored conversation for a command that sends no request, and so needs no key; undefined if the
 * log describes none.
 */
export function unusedModel({ spec, model }: StoredAgentParts): LanguageModel | undefined {
  const fields = { model: undefined, ...(spec as { readonly model?: LanguageModel['spec'] } | undefined) };
  if (fields.model === undefined || !model) return undefined;
  const { vision = false, functionCalling = true } = model.settings;
  return {
    spec: fields.model,
    name: model.name,
    capabilities: { vision, functionCalling, streaming: true },
    generate: async () => Promise.reject(new Error(`A command without a model sent a request to ${model.name}.`)),
  };
}
