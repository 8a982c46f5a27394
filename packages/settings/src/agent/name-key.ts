import type { ModelWrapper } from '@varve/llm';
import { explainFailures } from '@varve/llm/wrappers';

/** Adds to the refusal of a key which one was sent: of several, a person must know which one to replace. */
export function nameKey(name: string | undefined): ModelWrapper {
  const sentence = name === undefined ? 'No key was sent.' : `The key was that of ${name}.`;
  return explainFailures(({ code }) => (code === 'unauthenticated' ? sentence : undefined));
}
