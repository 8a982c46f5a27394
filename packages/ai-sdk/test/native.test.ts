import { modelFrom } from '@varve/llm';
import { nativeModels } from '@varve/llm/kit';
import { userRequest } from '@varve/llm/testing';
import { expect, test } from 'vitest';

/** Answers every request, and records its address and key. */
function recorder(): { readonly fetch: typeof globalThis.fetch; readonly requests: string[] } {
  const requests: string[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const request = new Request(url, init);
    const key = request.headers.get('x-api-key') ?? request.headers.get('x-goog-api-key');
    requests.push(`${request.url.split('?')[0]} ${key ?? request.headers.get('authorization')}`);
    return new Response('{"error":{"message":"Not today."}}', { status: 503 });
  };
  return { fetch, requests };
}

test.for([
  ['anthropic/claude-sonnet-4-5', 'https://api.anthropic.com/v1/messages k'],
  ['claude-sonnet-4-5', 'https://api.anthropic.com/v1/messages k'],
  [
    'google/gemini-3-pro',
    'https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:streamGenerateContent k',
  ],
  ['mistral/mistral-large', 'https://api.mistral.ai/v1/chat/completions Bearer k'],
  ['groq/m', 'https://api.groq.com/openai/v1/chat/completions Bearer k'],
] as const)('%s is called at %s if the packages are installed', async ([reference, request]) => {
  const { fetch, requests } = recorder();
  const native = nativeModels((name) => import(name));
  const model = modelFrom(reference, { apiKey: 'k', fetch, native });
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject({ code: 'unavailable' });
  expect(requests).toEqual([request]);
  expect(model.spec).toEqual(modelFrom(reference, { apiKey: 'k' }).spec);
});

const notInstalled = () => Promise.reject(Object.assign(new Error('Missing.'), { code: 'ERR_MODULE_NOT_FOUND' }));

test('without the packages a model is called in the protocol of OpenAI, and what to install is reported once', async () => {
  const { fetch, requests } = recorder();
  const problems: string[] = [];
  const native = nativeModels(notInstalled, (problem) => problems.push(problem));
  const model = modelFrom('anthropic/claude-sonnet-4-5', { apiKey: 'k', fetch, native });
  for (const _ of [1, 2]) await model.generate(userRequest('Hi')).catch(() => undefined);
  expect(new Set(requests)).toEqual(new Set(['https://api.anthropic.com/v1/chat/completions Bearer k']));
  expect(problems).toEqual([expect.stringContaining('npm install @varve/ai-sdk @ai-sdk/anthropic')]);
});

test('an invalid address is refused as without native models', () => {
  const options = { apiKey: 'k', baseUrl: '10.0.0.5:8000/v1', native: nativeModels(notInstalled) };
  expect(() => modelFrom('m', options)).toThrow(expect.objectContaining({ code: 'bad-request' }));
});
