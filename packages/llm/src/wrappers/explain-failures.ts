import { LlmError } from '../error.ts';
import type { ModelWrapper } from '../language-model.ts';
import { wrappedModel } from '../wrapped-model.ts';

/** Adds a sentence to the message of failures. `sentenceOf` returns undefined for those that need none. */
export function explainFailures(sentenceOf: (error: LlmError) => string | undefined): ModelWrapper {
  return (model) =>
    wrappedModel(model, async (request, options) => {
      try {
        return await model.generate(request, options);
      } catch (error) {
        if (!(error instanceof LlmError)) throw error;
        const sentence = sentenceOf(error);
        throw sentence === undefined ? error : error.with({ message: `${error.sentence} ${sentence}` });
      }
    });
}
