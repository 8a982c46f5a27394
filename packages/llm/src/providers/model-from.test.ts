import { describe, expect, test } from 'vitest';
import { modelFrom, type ModelFromOptions } from './model-from.ts';
import { providers } from './providers.ts';
import { userRequest, scriptedResponses, scriptedServer } from '../testing/index.ts';

const keys = Object.fromEntries(Object.values(providers).map(({ keyName = 'NONE' }) => [keyName, `key-of-${keyName}`]));

type Row = readonly [reference: string, options: ModelFromOptions, kind: string, baseUrl: string, model: string];

const rows: readonly Row[] = [
  ['gpt-5.1', {}, 'openai-chat', 'https://api.openai.com/v1', 'gpt-5.1'],
  ['openai/gpt-5.1', {}, 'openai-chat', 'https://api.openai.com/v1', 'gpt-5.1'],
  ['openai-responses/gpt-5.1', {}, 'openai-responses', 'https://api.openai.com/v1', 'gpt-5.1'],
  [
    'openrouter/anthropic/claude-sonnet-4.5',
    {},
    'openai-chat',
    'https://openrouter.ai/api/v1',
    'anthropic/claude-sonnet-4.5',
  ],
  ['claude-sonnet-4-5', {}, 'openai-chat', 'https://api.anthropic.com/v1', 'claude-sonnet-4-5'],
  ['gemini-2.5-pro', {}, 'openai-chat', 'https://generativelanguage.googleapis.com/v1beta/openai', 'gemini-2.5-pro'],
  ['together_ai/a/b', {}, 'openai-chat', 'https://api.together.xyz/v1', 'a/b'],
  ['hosted_vllm/a/b', {}, 'openai-chat', 'http://localhost:8000/v1', 'a/b'],
  ['lm_studio/a', {}, 'openai-chat', 'http://localhost:1234/v1', 'a'],
  ['huggingface/a/b', {}, 'openai-chat', 'https://router.huggingface.co/v1', 'a/b'],
  [
    'litellm_proxy/anthropic/c',
    { baseUrl: 'http://localhost:4000' },
    'openai-chat',
    'http://localhost:4000/v1',
    'anthropic/c',
  ],
  ['azure/gpt-4o', { baseUrl: 'http://localhost:4000/v1' }, 'openai-chat', 'http://localhost:4000/v1', 'gpt-4o'],
  ['hosted_vllm/a/b', { baseUrl: 'http://localhost:4000/v1' }, 'openai-chat', 'http://localhost:4000/v1', 'a/b'],
  ['anthropic/c', { baseUrl: 'http://localhost:4000/v1' }, 'openai-chat', 'http://localhost:4000/v1', 'anthropic/c'],
  ['groq/m', { baseUrl: 'https://api.groq.com/openai/v1' }, 'openai-chat', 'https://api.groq.com/openai/v1', 'm'],
  ['ollama/qwen3-coder:30b', {}, 'openai-chat', 'http://localhost:11434/v1', 'qwen3-coder:30b'],
  ['http://localhost:9000#some/model', {}, 'openai-chat', 'http://localhost:9000/v1', 'some/model'],
  ['some/model', { baseUrl: 'http://localhost:9000' }, 'openai-chat', 'http://localhost:9000/v1', 'some/model'],
  ['openai/m', { baseUrl: 'http://localhost:9000' }, 'openai-chat', 'http://localhost:9000/v1', 'm'],
  [
    'openai/gpt-5.1',
    { baseUrl: 'https://openrouter.ai/api/v1' },
    'openai-chat',
    'https://openrouter.ai/api/v1',
    'openai/gpt-5.1',
  ],
  [
    'openai/openai/gpt-5.1',
    { baseUrl: 'https://openrouter.ai/api/v1' },
    'openai-chat',
    'https://openrouter.ai/api/v1',
    'openai/gpt-5.1',
  ],
];

describe('a reference', () => {
  test.for(rows)('%s with %o is %s at %s with the model %s', ([reference, options, kind, baseUrl, model]) => {
    expect(modelFrom(reference, { keys, ...options }).spec).toMatchObject({ kind, baseUrl, model });
  });
});

test.for([
  ['nowhere/m', 'bad-request', 'Unknown provider "nowhere".'],
  ['constructor/m', 'bad-request', 'Unknown provider "constructor".'],
  ['litellm_proxy/m', 'bad-request', 'The model litellm_proxy/m needs the address of its server.'],
  [
    'bedrock/anthropic.claude',
    'bad-request',
    'Models of bedrock are reached only through a proxy that speaks the protocol of OpenAI, as litellm_proxy/NAME with its address.',
  ],
  ['claude-sonnet-4-5', 'unauthenticated', 'No API key for anthropic (ANTHROPIC_API_KEY is not set).'],
  ['openai/', 'bad-request', 'The model reference "openai/" names no model.'],
  ['http://localhost:9000', 'bad-request', 'The model reference "http://localhost:9000" names no model.'],
  ['groq/m', 'unauthenticated', 'No API key for groq (GROQ_API_KEY is not set).'],
] as const)('%s is %s', ([reference, code, message]) => {
  expect(() => modelFrom(reference, { keys: { OPENAI_API_KEY: 'k' } })).toThrow(
    expect.objectContaining({ code, message }),
  );
});

const foreign = [
  'https://llm.example.test/v1',
  'http://api.openai.com/v1',
  'https://api.openai.com:8443/v1',
  'https://api.openai.com.evil.test/v1',
  'https://evil.test/api.openai.com/v1',
  'https://api.openai.com./v1',
  'http://192.168.0.7:8000/v1',
];

test.for(foreign)('no key of a provider is sent to %s', (baseUrl) => {
  const message = `No API key for ${new URL(baseUrl).origin}, which is no known provider.`;
  const error = expect.objectContaining({ code: 'unauthenticated', message });
  expect(() => modelFrom('m', { keys, baseUrl })).toThrow(error);
  expect(() => modelFrom(`${baseUrl}#m`, { keys })).toThrow(error);
  expect(modelFrom('m', { keys, baseUrl, apiKey: 'own' }).name).toBe('m');
  expect(modelFrom('m', { baseUrl }).name).toBe('m');
});

test('every address receives the key of its own provider, and of no other', async () => {
  for (const { baseUrl, keyName } of Object.values(providers)) {
    const received: (string | null)[] = [];
    const fetch: typeof globalThis.fetch = async (url, init) => {
      received.push(new Request(url, init).headers.get('authorization'));
      return new Response('', { status: 401 });
    };
    for (const address of [baseUrl, baseUrl.replace(/\/\/[^/]+/, (host) => host.toUpperCase()), ` ${baseUrl}/`]) {
      const model = modelFrom('m', { keys, fetch, baseUrl: address });
      await expect(model.generate(userRequest('Hi'))).rejects.toThrow('401');
    }
    expect(new Set(received)).toEqual(new Set([`Bearer ${keyName === undefined ? 'none' : keys[keyName]}`]));
  }
});

test('a key is sent only to its own provider', async () => {
  await using server = await scriptedServer([{ text: 'Hi.' }, { text: 'Hi.' }]);
  await modelFrom(`${server.url}#m`, { keys }).generate(userRequest('Hi'));
  await modelFrom('m', { keys, baseUrl: server.url, apiKey: 'own' }).generate(userRequest('Hi'));
  expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer none', 'Bearer own']);
  const urls: string[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const request = new Request(url, init);
    urls.push(`${request.url} ${request.headers.get('authorization')}`);
    return new Response('', { status: 401 });
  };
  for (const name of ['openai/m', 'groq/m'])
    await modelFrom(name, { keys, fetch })
      .generate(userRequest('Hi'))
      .catch(() => 0);
  expect(urls).toEqual([
    'https://api.openai.com/v1/chat/completions Bearer key-of-OPENAI_API_KEY',
    'https://api.groq.com/openai/v1/chat/completions Bearer key-of-GROQ_API_KEY',
  ]);
});

test('the protocol is that of the provider', async () => {
  await using server = await scriptedResponses([{ text: 'Hi.' }]);
  const fetch: typeof globalThis.fetch = async (url, init) =>
    globalThis.fetch(new Request(url).url.replace('https://api.openai.com/v1', server.url), init);
  await modelFrom('openai-responses/m', { keys, fetch }).generate(userRequest('Hi'));
  server.assertDone();
});

test('the context window is that of the catalogue, unless it is given', () => {
  const catalog = { find: () => ({ contextWindow: 5 }) };
  const windows = [{ catalog }, { catalog, contextWindow: 7 }, {}].map(
    (options) => modelFrom('ollama/m', options).capabilities.contextWindow,
  );
  expect(windows).toEqual([5, 7, undefined]);
});

test.for([
  ['openrouter/anthropic/claude-sonnet-4.5', true],
  ['gpt-5.1', true],
  ['o3', true],
  ['ollama/qwen3-coder', false],
  ['ollama/proto1', false],
  ['deepseek/deepseek-v4-pro', false],
] as const)('%s takes images: %s', ([reference, sees]) => {
  expect(modelFrom(reference, { keys }).capabilities.vision).toBe(sees);
  expect(modelFrom(reference, { keys, vision: !sees }).capabilities.vision).toBe(!sees);
});
