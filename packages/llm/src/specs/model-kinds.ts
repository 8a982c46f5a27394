import { adapterKinds } from './adapter-kinds.ts';
import type { ModelKind, ModelKindsOptions } from './model-kind.ts';
import { wrapperKinds } from './wrapper-kinds.ts';

/**
 * Returns the models of this package that can be rebuilt from their specs: adapters, and wrappers around any model. A
 * new one is a line in `adapter-kinds.ts` or `wrapper-kinds.ts`. Specs contain no credentials, which come from
 * `credentials` or `keys`.
 */
export function modelKinds(application: ModelKindsOptions = {}): readonly ModelKind[] {
  return [...adapterKinds(application), ...wrapperKinds(application)];
}
