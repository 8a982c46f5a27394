import type { Json } from '@varve/events';
import { buildPart, type PartSpec, type SpecPath } from '@varve/events/specs';
import { partKindContract } from '@varve/events/testing';
import { OpenAI } from 'openai';
import { expect, test } from 'vitest';
import {
  functionCalling,
  mockFunctionCalling,
  openaiChat,
  openaiResponses,
  retry,
  type LanguageModel,
} from '../index.ts';
import { limitCalls } from '../wrappers/limit-calls.ts';
import { routeCalls } from '../wrappers/route-calls.ts';
import type { ModelContext, ModelKindsOptions } from './model-kind.ts';
import { modelKinds } from './model-kinds.ts';

const local = openaiChat({ model: 'm', baseUrl: 'http://127.0.0.1:9/v1' });

/** A model of each kind: add its line here. */
const models: Readonly<Record<string, LanguageModel>> = {
  'openai-chat': openaiChat({
    model: 'm',
    baseUrl: 'http://127.0.0.1:9/v1',
    timeoutMs: 1000,
    limits: { calls: 3 },
    parameters: { temperature: 0.5, stop: ['x'] },
    dialect: { system: 'first', without: ['seed'] },
    contextWindow: 1000,
    vision: true,
  }),
  'openai-responses': openaiResponses({ model: 'm', baseUrl: 'http://127.0.0.1:9/v1', store: true }),
  retry: retry({ attempts: 2 })(local),
  'function-calling': functionCalling({ mode: 'native', textCallFormats: ['json'] })(local),
  'mock-function-calling': mockFunctionCalling({ callsPerReply: 'many', example: false })(local),
  limited: limitCalls({ requests: 3 })(local),
  routed: routeCalls([local, retry()(local)], { fallbackOn: ['quota'] }),
};

function builder(application: ModelKindsOptions = {}) {
  const registry = modelKinds(application);
  const contextAt = (path: SpecPath): ModelContext => ({
    model: (spec, ...more) => buildPart(spec, { registry, path: [...path, ...more], contextAt }),
  });
  return { contextAt, build: (spec: Json) => buildPart(spec, { registry, path: [], contextAt }) };
}

test.for(
  partKindContract.flatMap((check) => modelKinds().map((kind) => [kind.kind, check.title, kind, check] as const)),
)('%s %s', ([name, , kind, check]) => {
  const example = JSON.parse(JSON.stringify(models[name]?.spec ?? {})) as PartSpec;
  check.run({ kind, example, contextAt: builder().contextAt, specOf: ({ spec }: LanguageModel) => spec });
});

test('wrappers in any order are rebuilt', () => {
  const whole = functionCalling()(retry({ maxDelayMs: 5 })(routeCalls([limitCalls({ concurrency: 2 })(local), local])));
  expect(builder().build(whole.spec).spec).toEqual(whole.spec);
});

test('the key of a provider is not sent to another address that a spec names', () => {
  const { build } = builder({ keys: { OPENAI_API_KEY: 'sk-0123456789' } });
  expect(build({ kind: 'openai-chat', model: 'm', baseUrl: 'https://api.openai.com/v1' }).name).toBe('m');
  for (const baseUrl of [
    'https://api.openai.com.evil.example/v1',
    'http://api.openai.com/v1',
    'https://evil.example',
  ]) {
    expect(() => build({ kind: 'openai-chat', model: 'm', baseUrl })).toThrow(/No API key for https?:/);
  }
});

test('credentials are asked for with the address and the names of the headers', () => {
  const asked: unknown[] = [];
  const { spec } = openaiChat({ model: 'm', baseUrl: 'https://one.example/v1', headers: { 'X-Key': 'secret-value' } });
  expect(JSON.stringify(spec)).not.toContain('secret-value');
  const { build } = builder({
    credentials: (server) => {
      asked.push(server);
      return { headers: { 'x-key': 'secret-value' } };
    },
  });
  expect(build(spec).spec).toMatchObject({ headers: ['X-Key'] });
  expect(asked).toEqual([{ baseUrl: 'https://one.example/v1', model: 'm', headers: ['X-Key'] }]);
  expect(() => builder().build(spec)).toThrow('header X-Key is not stored');
});

test('a model with a client of the application is not rebuilt without it', () => {
  const client = new OpenAI({ apiKey: 'k', baseURL: 'https://one.example/v1' });
  expect(() => builder().build(openaiChat({ model: 'm', client }).spec)).toThrow('client of the application');
});

test('the functions of the application reach every rebuilt model', async () => {
  const calls: string[] = [];
  const { build } = builder({
    fetch: async () => {
      calls.push('fetch');
      return new Response('{}', { status: 503 });
    },
    wrap: (model) => ({
      ...model,
      generate: (request, options) => {
        calls.push('wrap');
        return model.generate(request, options);
      },
    }),
    retry: { sleep: async () => undefined, onRetry: () => calls.push('retry') },
    onFallback: () => calls.push('fallback'),
  });
  const model = build(routeCalls([retry({ attempts: 2 })(local), local]).spec);
  await expect(model.generate({ messages: [], tools: [], parameters: {} })).rejects.toThrow('503');
  expect(calls).toEqual(['wrap', 'fetch', 'retry', 'wrap', 'fetch', 'fallback', 'wrap', 'fetch']);
});
