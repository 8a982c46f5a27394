import type { Json } from '@varve/events';
import { buildPart, type PartSpec, type SpecPath } from '@varve/events/specs';
import { expect, test } from 'vitest';
import type { ModelContext } from './model-kind.ts';
import { isLitellmSpec, specFromLitellm } from './litellm-spec.ts';
import { modelKinds } from './model-kinds.ts';

/** As the reference writes it. */
const stored = {
  model: 'openai/gpt-4o',
  api_key: 'sk-0123456789abcdef',
  base_url: 'http://127.0.0.1:37771/v1',
  num_retries: 0,
  retry_multiplier: 8,
  retry_min_wait: 8,
  retry_max_wait: 64,
  timeout: 300,
  api_mode: 'auto',
  stream: false,
  native_tool_calling: true,
  reasoning_effort: 'high',
  litellm_extra_body: {},
  usage_id: 'agent',
  temperature: null,
};

const registry = modelKinds({ keys: {}, credentials: () => ({ apiKey: 'k' }) });
const contextAt = (path: SpecPath): ModelContext => ({
  model: (spec, ...more) => buildPart(spec, { registry, path: [...path, ...more], contextAt }),
});
const adapterOf = (value: Json): Json => {
  const outer = specFromLitellm(value) as PartSpec & { readonly model: { readonly model: Json } };
  return outer.model.model;
};

test('a model of the reference becomes an adapter with retries and function calling', () => {
  const spec = specFromLitellm(stored);
  expect(spec).toEqual({
    kind: 'function-calling',
    mode: 'auto',
    model: {
      kind: 'retry',
      attempts: 1,
      maxTotalMs: 600_000,
      maxDelayMs: 64_000,
      model: {
        kind: 'openai-chat',
        model: 'gpt-4o',
        baseUrl: 'http://127.0.0.1:37771/v1',
        vision: true,
        timeoutMs: 300_000,
      },
    },
  });
  expect(buildPart(spec, { registry, path: [], contextAt }).spec).toEqual(spec);
  expect(JSON.stringify(spec)).not.toContain('sk-');
});

test.for([
  ['gpt-5.1', 'https://api.openai.com/v1', 'gpt-5.1', 'openai-responses'],
  ['claude-sonnet-4-5', 'https://api.anthropic.com/v1', 'claude-sonnet-4-5', 'openai-chat'],
  ['openrouter/anthropic/claude-sonnet-4', 'https://openrouter.ai/api/v1', 'anthropic/claude-sonnet-4', 'openai-chat'],
  ['ollama_chat/qwen3', 'http://localhost:11434/v1', 'qwen3', 'openai-chat'],
  ['openhands/kimi-k3', 'https://llm-proxy.app.all-hands.dev/v1', 'kimi-k3', 'openai-chat'],
] as const)('%s is at %s', ([model, baseUrl, name, kind]) => {
  expect(adapterOf({ model })).toMatchObject({ kind, baseUrl, model: name });
});

test('parameters are taken over, and effort only for models that reason', () => {
  const value = { temperature: 0.2, top_p: 0.9, seed: 1, max_output_tokens: 100, reasoning_effort: 'xhigh' };
  expect(adapterOf({ ...value, model: 'o3-mini', api_mode: 'chat' })).toMatchObject({
    kind: 'openai-chat',
    parameters: { temperature: 0.2, topP: 0.9, seed: 1, maxOutputTokens: 100, reasoningEffort: 'high' },
  });
  expect(adapterOf({ model: 'gpt-4o', reasoning_effort: 'high' })).not.toHaveProperty('parameters');
});

test('without native calls, calls are text', () => {
  expect(specFromLitellm({ model: 'gpt-4o', native_tool_calling: false }).kind).toBe('mock-function-calling');
});

test('what has no counterpart is named, and unknown providers and garbage are refused', () => {
  const ignored: string[] = [];
  specFromLitellm({ ...stored, extra_headers: { a: 'b' }, top_k: 3 }, ({ path }) => ignored.push(path));
  expect(ignored).toEqual(['extra_headers', 'top_k']);
  expect(() => specFromLitellm({ model: 'bedrock/claude' })).toThrow('model (LLM): the address of the provider');
  expect(() => specFromLitellm({ model: 'litellm_proxy/x' })).toThrow('is not known');
  expect(() => specFromLitellm({ model: 'gpt-4o', timeout: 'long' })).toThrow('timeout (LLM)');
  expect([isLitellmSpec({ model: 'm' }), isLitellmSpec({ kind: 'retry', model: 'm' }), isLitellmSpec([])]).toEqual([
    true,
    false,
    false,
  ]);
});
