import { LlmError, type ModelWrapper } from '@varve/llm';

/** Adds to the refusal of a key which one was sent: of several, a person must know which one to replace. */
export function nameKey(name: string | undefined): ModelWrapper {
  const sentence = name === undefined ? 'No key was sent.' : `The key was that of ${name}.`;
  return (model) => ({
    name: model.name,
    capabilities: model.capabilities,
    spec: model.spec,
    async generate(request, options) {
      try {
        return await model.generate(request, options);
      } catch (error) {
        throw error instanceof LlmError && error.code === 'unauthenticated' ? error.explained(sentence) : error;
      }
    },
  });
}
