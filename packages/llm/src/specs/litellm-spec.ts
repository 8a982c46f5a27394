import { lazy, type Json } from '@varve/events';
import { SpecError, type PartSpec, type SpecProblem } from '@varve/events/specs';
import * as z from 'zod';
import { modelSeesImages } from '../providers/model-from.ts';
import { providers } from '../providers/providers.ts';
import { makerOf, modelNameAt, splitReference } from '../providers/reference.ts';

/** Null means absent in the records of the reference. */
const optional = <Schema extends z.ZodType>(schema: Schema) => z.nullish(schema);
const seconds = lazy(() => optional(z.number().positive()));

const litellm = lazy(() =>
  z.looseObject({
    model: z.string().min(1),
    base_url: optional(z.string()),
    api_mode: optional(z.enum(['auto', 'chat', 'responses'])),
    num_retries: optional(z.int().nonnegative()),
    retry_max_wait: seconds(),
    timeout: seconds(),
    temperature: optional(z.number()),
    top_p: optional(z.number()),
    seed: optional(z.number()),
    reasoning_effort: optional(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'])),
    max_output_tokens: optional(z.int().positive()),
    max_input_tokens: optional(z.int().positive()),
    native_tool_calling: optional(z.boolean()),
    disable_vision: optional(z.boolean()),
  }),
);

type Litellm = z.output<ReturnType<typeof litellm>>;

/** Fields that change requests in a way that no option here does. */
const unsupported = [
  'api_version',
  'aws_region_name',
  'custom_llm_provider',
  'extra_headers',
  'fallback_strategy',
  'litellm_extra_body',
  'provider_connection_id',
  'subscription_vendor',
  'top_k',
];

/** Returns whether a value describes a model as the reference does: with a model name, and without a kind. */
export function isLitellmSpec(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return typeof (value as { readonly model?: unknown }).model === 'string' && !Object.hasOwn(value, 'kind');
}

/**
 * Returns the spec of a model that the reference describes by the options of its `LLM`. Keys in it are not read.
 * `onIgnored` gets the fields that would change requests and have no counterpart, with paths inside the value.
 *
 * @throws {SpecError} for a provider without a known address, and invalid fields.
 * @see software-agent-sdk openhands/sdk/llm/llm.py
 */
export function specFromLitellm(value: Json, onIgnored: (problem: SpecProblem) => void = () => undefined): PartSpec {
  const { data, error } = litellm().safeParse(value);
  if (!data) {
    const [issue] = error.issues;
    throw new SpecError({ path: (issue?.path ?? []).join('.'), kind: 'LLM', reason: `${issue?.message ?? ''}.` });
  }
  for (const field of unsupported) {
    if (isUnset(data[field])) continue;
    onIgnored({ path: field, kind: 'LLM', reason: 'this option of the reference is not supported, and is ignored.' });
  }
  const retrying = {
    kind: 'retry',
    attempts: Math.max(1, data.num_retries ?? 5),
    maxTotalMs: 600_000,
    maxDelayMs: (data.retry_max_wait ?? 60) * 1000,
    model: adapterSpec(data),
  };
  return data.native_tool_calling === false
    ? { kind: 'mock-function-calling', callsPerReply: 'one', example: true, model: retrying }
    : { kind: 'function-calling', mode: 'auto', model: retrying };
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function adapterSpec(data: Litellm): PartSpec {
  const { timeout, max_input_tokens: contextWindow, max_output_tokens: maxOutputTokens } = data;
  const { baseUrl, model } = serverOf(data);
  const parameters = {
    ...(isSet(data.temperature) && { temperature: data.temperature }),
    ...(isSet(data.top_p) && { topP: data.top_p }),
    ...(isSet(data.seed) && { seed: data.seed }),
    ...(isSet(maxOutputTokens) && { maxOutputTokens }),
    ...effortFor(data, model),
  };
  return {
    kind: usesResponses(data, { baseUrl, model }) ? 'openai-responses' : 'openai-chat',
    model,
    baseUrl,
    vision: data.disable_vision !== true && modelSeesImages(model),
    ...(isSet(timeout) && { timeoutMs: timeout * 1000 }),
    ...(isSet(contextWindow) && { contextWindow }),
    ...(isSet(maxOutputTokens) && { maxOutputTokens }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
}

function isSet<Value>(value: Value | null | undefined): value is Value {
  return value !== undefined && value !== null;
}

const reasoningModels = /(?:^|\/)(?:gpt-5|o[134](?:-|$)|codex|claude-|gemini-(?:2\.5|[3-9])|deepseek-(?:r|v4)|kimi-k)/i;

/** The reference has `high` as its default and sends it only to models that reason. */
function effortFor({ reasoning_effort: effort }: Litellm, model: string): { readonly reasoningEffort?: string } {
  if (!isSet(effort) || !reasoningModels.test(model)) return {};
  return { reasoningEffort: effort === 'xhigh' ? 'high' : effort };
}

interface Server {
  readonly baseUrl: string;
  /** Name of the model there. */
  readonly model: string;
}

/** With `auto`, the reference uses the Responses protocol for the models of OpenAI that need it. */
function usesResponses({ api_mode: mode }: Litellm, { baseUrl, model }: Server): boolean {
  if (mode === 'responses' || mode === 'chat') return mode === 'responses';
  return baseUrl === providers['openai']?.baseUrl && /^(?:gpt-5|codex-mini)/.test(model);
}

/** Splits a name such as `openai/gpt-5`, whose first part selects the provider. */
function serverOf({ model: name, base_url: address }: Litellm): Server {
  if (isSet(address) && address !== '') return { baseUrl: address, model: modelNameAt(address, name) };
  const { provider, address: known, model } = splitReference(name);
  const baseUrl =
    known ?? (provider === undefined && !name.includes('/') ? providers[makerOf(name)]?.baseUrl : undefined);
  if (baseUrl !== undefined) return { baseUrl, model };
  const reason = `the address of the provider of ${JSON.stringify(name.slice(0, 100))} is not known.`;
  throw new SpecError({ path: 'model', kind: 'LLM', reason });
}
