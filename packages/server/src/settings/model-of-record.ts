import type { Json } from '@varve/events';
import { buildPart, type Registry } from '@varve/events/specs';
import { type LanguageModel, modelKinds, specFromLitellm, type ModelContext } from '@varve/llm';
import type { Variables } from '@varve/text';
import type { LlmRecord } from './llm-record.ts';

/** Creates the model of a record; its key is sent to no other one. @throws {SpecError} for an unsupported one. */
export function modelOfRecord(
  record: LlmRecord,
  { env, key }: { readonly env: Variables; readonly key: string | undefined },
): LanguageModel {
  const registry: Registry<LanguageModel, ModelContext> = modelKinds({
    keys: env,
    ...(key !== undefined && { credentials: () => ({ apiKey: key }) }),
  });
  const model = (spec: Json, ...path: readonly (string | number)[]): LanguageModel =>
    buildPart(spec, {
      registry,
      path,
      contextAt: (at) => ({ model: (inner, ...more) => model(inner, ...at, ...more) }),
    });
  return model(specFromLitellm({ ...record, stream: false }), 'llm');
}
