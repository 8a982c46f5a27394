import { LlmError } from '../error.ts';
import type { ModelWrapper } from '../language-model.ts';

/** Adds a sentence to the message of failures. `sentenceOf` returns undefined for those that need none. */
export function explainFailures(sentenceOf: (error: LlmError) => string | undefined): ModelWrapper {
  return (model) => ({
    name: model.name,
    capabilities: model.capabilities,
    spec: model.spec,
    async generate(request, options) {
      try {
        return await model.generate(request, options);
      } catch (error) {
        if (!(error instanceof LlmError)) throw error;
        const sentence = sentenceOf(error);
        throw sentence === undefined ? error : error.explained(sentence);
      }
    },
  });
}
