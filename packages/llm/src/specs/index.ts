export { modelKinds } from './model-kinds.ts';
export type { ModelContext, ModelKind, ModelKindsOptions, ServerCredentials, StoredServer } from './model-kind.ts';
export { modelParameters } from './adapter-options.ts';
export { makerOf, splitReference } from '../providers/reference.ts';
export { isLitellmSpec, specFromLitellm } from './litellm-spec.ts';
