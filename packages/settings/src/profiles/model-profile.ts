import { lazy, type Json } from '@varve/events';
import * as z from 'zod';
import { llmFields, type LlmValues } from '../definitions/llm-fields.ts';
import { SettingsError } from '../error.ts';

/** File of a model profile: the fields of the reference's `LLM`, and varve's own; unknown ones are preserved. */
export type ModelProfileRecord = Readonly<Record<string, Json>>;

/** Fields that are secrets in the reference's records. */
const secretFields = ['api_key', 'aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'];

/** Highest version that is understood. */
const schemaVersion = 1;

/** @see software-agent-sdk LLMProfileStore */
export const modelProfileRecord = lazy((): z.ZodType<ModelProfileRecord> =>
  z
    .record(z.string(), z.json())
    .refine(({ schema_version: version = 1 }) => Number(version) <= schemaVersion, { path: ['schema_version'] })
    .refine(({ model }) => typeof model === 'string' && model !== '', { path: ['model'] }),
);

/**
 * Returns the values of a profile that varve uses. Nulls and the reference's values that varve does not have are
 * absent. The reference's `native_tool_calling: false` is `function_calling: mock`.
 *
 * @throws {SettingsError} `invalid` for a value of a wrong type, with the name of its field.
 */
export function llmValuesOf(record: ModelProfileRecord, name: string): LlmValues {
  const values: Record<string, unknown> = {};
  if (record['native_tool_calling'] === false) values['function_calling'] = 'mock';
  for (const [field, { schema }] of Object.entries(llmFields)) {
    const value = ownValue(field, record[field]);
    if (value === undefined || value === null) continue;
    const { data, error } = schema().safeParse(value);
    if (error) throw new SettingsError('invalid', `Profile "${name}": ${field}: ${error.issues[0]?.message}.`);
    values[field] = data;
  }
  return values;
}

function ownValue(field: string, value: Json | undefined): Json | undefined {
  // The reference's highest effort; a server that has only three rejects it.
  if (field === 'reasoning_effort' && value === 'xhigh') return 'high';
  // The reference counts repetitions from zero.
  return field === 'num_retries' && value === 0 ? 1 : value;
}

/**
 * Returns the record of a profile with these values, without secrets: the reference's fields for keys are null. Fields
 * of `before` that varve does not use are kept.
 *
 * @throws {SettingsError} `invalid` for a wrong value, or without a model.
 */
export function modelProfileOf(values: LlmValues, name: string, before: ModelProfileRecord = {}): ModelProfileRecord {
  const foreign = Object.entries(before).filter(([field]) => !Object.hasOwn(llmFields, field));
  const { native_tool_calling: _native, ...kept } = Object.fromEntries(foreign);
  const record: ModelProfileRecord = {
    schema_version: schemaVersion,
    ...kept,
    ...values,
    ...(values.function_calling === 'mock' && { native_tool_calling: false }),
    ...Object.fromEntries(
      secretFields.flatMap((field) => (field === 'api_key' || field in kept ? [[field, null]] : [])),
    ),
  };
  llmValuesOf(record, name);
  const { data, error } = modelProfileRecord().safeParse(record);
  if (data) return data;
  const field = error.issues[0]?.path[0] === 'model' ? 'has no model' : 'is of a version that is not known';
  throw new SettingsError('invalid', `Profile "${name}" ${field}.`);
}

/** Returns the key that the reference wrote into a profile, in clear or encrypted; undefined if it wrote none. */
export function storedKeyOf({ api_key: key }: ModelProfileRecord): string | undefined {
  return typeof key === 'string' && !/^\**$/.test(key.trim()) ? key : undefined;
}

/**
 * Returns a profile with the address and the key of the provider connection that it names: its own address is stronger,
 * and with a reference to a key of its own it needs no connection. `connections` is the setting
 * `reference.provider_connections`.
 *
 * @throws {SettingsError} `missing` for a connection that does not exist.
 * @see agent-server 1.43.1 OpenAPI, ProviderConnectionResponse
 */
export function connectedProfile(
  record: ModelProfileRecord,
  connections: Readonly<Record<string, Json>> | undefined,
  name: string,
): ModelProfileRecord {
  const { provider_connection_id: id, api_key_ref: keyRef } = record;
  if (typeof id !== 'string' || typeof keyRef === 'string') return record;
  const { data: stored } = connection().safeParse(Object.hasOwn(connections ?? {}, id) ? connections?.[id] : undefined);
  if (!stored) throw new SettingsError('missing', `Profile "${name}": the provider connection ${id} does not exist.`);
  const address = typeof record['base_url'] === 'string' ? record['base_url'] : stored.base_url;
  const { api_key: _key, ...rest } = record;
  return {
    ...rest,
    ...(typeof address === 'string' && { base_url: address }),
    ...(stored.api_key_ref !== undefined && { api_key_ref: stored.api_key_ref }),
  };
}

const connection = lazy(() => z.object({ base_url: z.string().nullish(), api_key_ref: z.string().optional() }));
