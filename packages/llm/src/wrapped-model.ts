import type { LanguageModel } from './language-model.ts';

/** Returns a model with another `generate`; its spec is that of the inner model, unless another one is required. */
export function wrappedModel(
  { name, capabilities, spec }: LanguageModel,
  generate: LanguageModel['generate'],
  ownSpec: LanguageModel['spec'] = spec,
): LanguageModel {
  return { name, capabilities, spec: ownSpec, generate };
}
