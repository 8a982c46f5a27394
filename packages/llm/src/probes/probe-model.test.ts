import { expect, test } from 'vitest';
import { functionCalling } from '../function-calling/function-calling.ts';
import { openaiChat } from '../chat/openai-chat.ts';
import { userRequest, scriptedServer } from '../testing/index.ts';
import { probeModel } from './probe-model.ts';

/** A server that answers at some paths, and its requests. */
function serving(answers: Readonly<Record<string, unknown>>) {
  const requests: (readonly [string, string])[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const request = new Request(url, init);
    const { pathname } = new URL(request.url);
    requests.push([pathname, await request.text()]);
    if (!(pathname in answers)) return new Response('{"error":"Unexpected endpoint"}', { status: 200 });
    return new Response(JSON.stringify(answers[pathname]));
  };
  return { requests, fetch };
}

test.for<readonly [string, string, string, Readonly<Record<string, unknown>>, object]>([
  [
    'vLLM',
    'http://localhost:8000',
    'qwen',
    {
      '/v1/models': {
        data: [
          { id: 'other', max_model_len: 5 },
          { id: 'qwen', max_model_len: 32_768 },
        ],
      },
    },
    { contextWindow: 32_768 },
  ],
  [
    'OpenRouter',
    'https://openrouter.ai/api/v1',
    'maker/m',
    {
      '/api/v1/models': {
        data: [
          {
            id: 'maker/m',
            context_length: 200_000,
            architecture: { input_modalities: ['text', 'image'] },
            top_provider: { context_length: 128_000, max_completion_tokens: 8000 },
            supported_parameters: ['temperature'],
          },
        ],
      },
    },
    { contextWindow: 128_000, maxOutputTokens: 8000, functionCalling: false, vision: true },
  ],
  [
    'Ollama',
    'http://localhost:11434',
    'gemma3',
    {
      '/v1/models': { data: [{ id: 'gemma3', object: 'model' }] },
      '/api/show': {
        capabilities: ['completion', 'vision'],
        parameters: 'stop "<end>"\nnum_ctx                        8192',
        model_info: { 'gemma3.context_length': 131_072 },
      },
    },
    { contextWindow: 8192, functionCalling: false, vision: true },
  ],
  [
    'Ollama without a configured length',
    'http://localhost:11434',
    'm',
    { '/api/show': { capabilities: ['tools'], model_info: { 'm.context_length': 131_072 } } },
    { functionCalling: true, vision: false },
  ],
  [
    'LM Studio',
    'http://localhost:1234',
    'm',
    {
      '/api/v0/models': {
        data: [
          { id: 'm', type: 'llm', max_context_length: 9, loaded_context_length: 4096, capabilities: ['tool_use'] },
        ],
      },
    },
    { contextWindow: 4096, functionCalling: true, vision: false },
  ],
  [
    'llama.cpp',
    'http://localhost:8080',
    'any',
    {
      '/props': {
        default_generation_settings: { n_ctx: 16_384 },
        modalities: { vision: false },
        chat_template_caps: { supports_tools: true },
      },
    },
    { contextWindow: 16_384, functionCalling: true, vision: false },
  ],
  ['a server that reports nothing', 'http://localhost:8080', 'm', { '/v1/models': { data: [{ id: 'm' }] } }, {}],
  ['a server with invalid replies', 'http://localhost:8080', 'm', { '/props': 5, '/v1/models': { data: 'x' } }, {}],
])('%s reports the capabilities of its model', async ([, baseUrl, model, answers, expected]) => {
  expect(await probeModel({ model, baseUrl, fetch: serving(answers).fetch })).toEqual(expected);
});

test('a remote server receives only the request for its list, with its key', async () => {
  const { requests, fetch } = serving({});
  const keys: (string | null)[] = [];
  await probeModel({
    model: 'm',
    baseUrl: 'https://api.test/v1',
    apiKey: 'my-key',
    fetch: (url, init) => {
      keys.push(new Headers(init?.headers).get('authorization'));
      return fetch(url, init);
    },
  });
  expect([requests.map(([path]) => path), keys]).toEqual([['/v1/models'], ['Bearer my-key']]);
});

test('a server that does not run reports nothing', async () => {
  const server = await scriptedServer([]);
  await server[Symbol.asyncDispose]();
  expect(await probeModel({ model: 'm', baseUrl: server.url })).toEqual({});
});

test('a model that is known to support no tools uses mock function calling immediately', async () => {
  await using server = await scriptedServer([{ text: 'Ok.' }]);
  const tools = [{ name: 'ping', description: '', parameters: {} }];
  const chat = openaiChat({ model: 'm', baseUrl: server.url, functionCalling: false });
  await expect(chat.generate(userRequest('Hi', { tools }))).rejects.toMatchObject({ code: 'unsupported' });
  await functionCalling()(chat).generate(userRequest('Hi', { tools }));
  expect(server.requests.map(({ request }) => request?.tools)).toEqual([[]]);
});

test.for(['0', '9'.repeat(400)])('a context window of %s tokens is unknown', async (tokens) => {
  const { fetch } = serving({ '/api/show': { parameters: `num_ctx ${tokens}`, capabilities: ['tools'] } });
  const probed = await probeModel({ model: 'm', baseUrl: 'http://localhost:11434', fetch });
  expect(probed).toEqual({ functionCalling: true, vision: false });
});
