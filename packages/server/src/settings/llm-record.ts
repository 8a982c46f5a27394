import { randomBytes } from 'node:crypto';
import type { Json } from '@varve/events';
import {
  receivedText,
  redacted,
  type Cipher,
  type Exposure,
  type SecretStore,
  modelKeyPrefix,
} from '@varve/settings/secrets';

/** A model as clients send and receive it: the fields of the reference's LLM. */
export type LlmRecord = Readonly<Record<string, Json>>;

/**
 * Values of fields that a client did not set.
 *
 * @see agent-server 1.43.1 OpenAPI, LLM-Output
 */
export const llmDefaults: LlmRecord = {
  model: 'gpt-5.5',
  api_key: null,
  base_url: null,
  auth_type: 'api_key',
  num_retries: 5,
  retry_multiplier: 8,
  retry_min_wait: 8,
  retry_max_wait: 64,
  timeout: 300,
  max_message_chars: 30_000,
  temperature: null,
  top_p: null,
  top_k: null,
  max_input_tokens: null,
  max_output_tokens: null,
  api_mode: 'auto',
  stream: false,
  drop_params: true,
  modify_params: true,
  caching_prompt: true,
  log_completions: false,
  native_tool_calling: true,
  reasoning_effort: 'high',
  enable_encrypted_reasoning: true,
  prompt_cache_retention: '24h',
  extended_thinking_budget: 200_000,
  usage_id: 'default',
};

/** Fields of varve's records that are not of the protocol. */
const ownFields = new Set(['schema_version', 'api_key_ref', 'function_calling']);
const secretFields = new Set(['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token']);

/** Returns a record as clients receive it, with its key as `exposure` requires. */
export function shownLlm(record: LlmRecord, key: string | undefined, exposure: Exposure, cipher: Cipher): LlmRecord {
  const fields = Object.entries(record).filter(([name]) => !ownFields.has(name) && !secretFields.has(name));
  return { ...llmDefaults, ...Object.fromEntries(fields), api_key: shownSecret(key, exposure, cipher) };
}

/** Returns a secret as `exposure` requires; null for one that is not set. */
export function shownSecret(value: string | undefined, exposure: Exposure, cipher: Cipher): string | null {
  if (value === undefined) return null;
  return exposure === 'plaintext' ? value : exposure === 'encrypted' ? cipher.encrypt(value) : redacted;
}

/** A received record without its key, which is stored elsewhere. */
export interface ReceivedLlm {
  readonly record: LlmRecord;
  /** Undefined if it is not set, redacted, or encrypted with another key. */
  readonly key: string | undefined;
}

/** Separates the key of a record that a client sends. Cloud credentials are not stored. */
export function receivedLlm({ api_key: sent, ...record }: LlmRecord, cipher: Cipher): ReceivedLlm {
  const kept = Object.entries(record).filter(([name]) => !secretFields.has(name) && !ownFields.has(name));
  return {
    record: Object.fromEntries(kept),
    key: typeof sent === 'string' ? receivedText(sent, cipher) : undefined,
  };
}

/** Stores a key, and returns the reference to it: that of `before` if it is a key of this server. */
export async function storeKey(secrets: SecretStore, key: string, before?: Json): Promise<string> {
  const kept = keyName(before);
  const name = kept ?? `${modelKeyPrefix}${randomBytes(12).toString('hex')}`;
  await secrets.set(name, { kind: 'StaticSecret', value: key, description: 'Key of a model.' });
  return `secret:${name}`;
}

/** Returns the name of the secret of a reference that {@link storeKey} made. */
export function keyName(reference: Json | undefined): string | undefined {
  const name = secretIn(reference);
  return name?.startsWith(modelKeyPrefix) ? name : undefined;
}

/** Returns the name of the secret of a reference; undefined for another value. */
export function secretIn(reference: Json | undefined): string | undefined {
  return typeof reference === 'string' ? /^secret:(.+)$/.exec(reference)?.[1] : undefined;
}
