import type { Json } from '@varve/events';
import { buildPart, SpecError, type Registry } from '@varve/events/specs';
import { LlmError, type LanguageModel, modelKinds, specFromLitellm, type ModelContext } from '@varve/llm';
import { nameProxy } from '@varve/llm/network';
import type { Variables } from '@varve/text';
import type { LlmRecord } from './llm-record.ts';
import type { KeyedLlm } from './server-settings.ts';

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
  return nameProxy(env)(model(specFromLitellm({ ...record, stream: false }), 'llm'));
}

/**
 * Tests whether the model of a record can be called: it has a key, or needs none, as on this machine, or the
 * environment contains the key of its provider. Clients ask for a key where this is false, and start no conversation.
 */
export function hasKey({ record, key }: KeyedLlm, env: Variables): boolean {
  try {
    modelOfRecord(record, { env, key });
    return true;
  } catch (error) {
    if (error instanceof LlmError || error instanceof SpecError) return key !== undefined;
    throw error;
  }
}
