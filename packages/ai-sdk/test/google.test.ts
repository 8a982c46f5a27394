import { createGoogle } from '@ai-sdk/google';
import type { LanguageModel } from '@varve/llm';
import { userRequest } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { aiSdkModel } from '@varve/ai-sdk';
import { wireServer, type WireAnswer } from './wire-server.ts';

// Exchanges as https://ai.google.dev/api/generate-content and its page about thought signatures describe them.
const usageMetadata = {
  promptTokenCount: 90,
  cachedContentTokenCount: 40,
  candidatesTokenCount: 7,
  thoughtsTokenCount: 13,
  totalTokenCount: 110,
};

function chunk(parts: readonly object[], finishReason?: string) {
  const candidate = { content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) };
  return { candidates: [candidate], usageMetadata, modelVersion: 'gemini-3-pro', responseId: 'r1' };
}

const call: WireAnswer = {
  events: [
    chunk([{ text: 'The weather is asked for.', thought: true }]),
    chunk([{ functionCall: { name: 'weather', args: { city: 'Bergen' } }, thoughtSignature: 'c2lnbmVk' }]),
    chunk([{ functionCall: { name: 'weather', args: { city: 'Oslo' } } }]),
    chunk([{ text: '' }], 'STOP'),
  ],
};

const tools = [
  {
    name: 'weather',
    description: 'Returns the weather.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
  },
];

function modelAt(url: string): LanguageModel {
  return aiSdkModel(createGoogle({ baseURL: url, apiKey: 'k' })('gemini-3-pro'));
}

test('a call keeps its signature, which is sent back with it', async () => {
  await using server = await wireServer([call, { events: [chunk([{ text: 'Rain.' }], 'STOP')] }]);
  const model = modelAt(server.url);
  const request = userRequest('Weather?', { tools });
  const reply = await model.generate(request, { onDelta: () => undefined });
  expect(reply).toMatchObject({
    finish: 'tool-calls',
    message: { reasoning_content: 'The weather is asked for.', tool_calls: [{ arguments: '{"city":"Bergen"}' }, {}] },
    usage: { input_tokens: 90, output_tokens: 20, cache_read_tokens: 40, reasoning_tokens: 13 },
  });
  const message = JSON.parse(JSON.stringify(reply.message)) as typeof reply.message;
  const content = [{ type: 'text', text: 'Rain.', cache_prompt: false }] as const;
  const results = (message.tool_calls ?? []).map(
    ({ id }) => ({ role: 'tool', tool_call_id: id, content, thinking_blocks: [] }) as const,
  );
  const next = { ...request, messages: [...request.messages, message, ...results] };
  expect(await model.generate(next)).toMatchObject({ finish: 'stop', message: { content: [{ text: 'Rain.' }] } });
  expect(server.bodies[1]).toMatchObject({
    contents: [
      { role: 'user' },
      {
        role: 'model',
        parts: [
          { text: 'The weather is asked for.', thought: true },
          { functionCall: { name: 'weather', args: { city: 'Bergen' } }, thoughtSignature: 'c2lnbmVk' },
          { functionCall: { name: 'weather', args: { city: 'Oslo' } } },
        ],
      },
      {
        role: 'user',
        parts: [{ functionResponse: { name: 'weather' } }, { functionResponse: { name: 'weather' } }],
      },
    ],
  });
});

test('metadata of another model is not sent', async () => {
  await using server = await wireServer([{ events: [chunk([{ text: 'Yes.' }], 'STOP')] }]);
  const extra = { origin: 'claude of anthropic', reasoning_details: [{ type: 'reasoning', text: 'Secret.' }] };
  const content = [{ type: 'text', text: 'Hello.', cache_prompt: false }] as const;
  const earlier = { role: 'assistant', content, thinking_blocks: [], extra } as const;
  const { messages } = userRequest('Hi');
  await modelAt(server.url).generate(userRequest('', { messages: [...messages, earlier, ...messages] }));
  expect(JSON.stringify(server.bodies[0])).not.toContain('Secret.');
});

test('an image of the model is content of the message', async () => {
  const inlineData = { mimeType: 'image/png', data: 'AAAA' };
  await using server = await wireServer([{ events: [chunk([{ inlineData }], 'STOP')] }]);
  const { message } = await modelAt(server.url).generate(userRequest('Draw a dot.'));
  expect(message.content).toEqual([{ type: 'image', image_urls: ['data:image/png;base64,AAAA'], cache_prompt: false }]);
});

test('a prompt that is blocked is refused, and a wrong key is unauthenticated', async () => {
  const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata };
  const error = { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' };
  await using server = await wireServer([{ events: [blocked] }, { status: 400, json: { error } }]);
  const model = modelAt(server.url);
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject({ code: 'refused' });
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject({ code: 'unauthenticated' });
});
