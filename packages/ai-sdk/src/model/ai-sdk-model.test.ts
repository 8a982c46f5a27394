import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import type { Message } from '@varve/events';
import { userRequest } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { aiSdkModel } from './ai-sdk-model.ts';

const usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** A model of the third version that answers with a picture, and records what it received. */
function painter(received: LanguageModelV3CallOptions[]): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: 'paint.chat',
    modelId: 'painter',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new TypeError('This model is streamed.')),
    async doStream(options) {
      received.push(options);
      const data = new Uint8Array([0, 0, 0]);
      const parts: LanguageModelV3StreamPart[] = [
        { type: 'file', mediaType: 'image/png', data },
        { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
      ];
      return { stream: ReadableStream.from(parts) };
    },
  };
}

const image = (url: string): Message['content'][number] => ({ type: 'image', image_urls: [url], cache_prompt: false });

test('a model of the third version receives and sends files in its own form', async () => {
  const received: LanguageModelV3CallOptions[] = [];
  const model = aiSdkModel(painter(received));
  const content = [image('data:application/pdf;base64,AAAA'), image('https://example.com/a.png')];
  const request = userRequest('', { messages: [{ role: 'user', content, thinking_blocks: [] }] });
  const { message, usage: counted } = await model.generate(request);
  expect(received[0]?.prompt[0]).toMatchObject({
    content: [{ type: 'file', mediaType: 'application/pdf', data: 'AAAA' }, { type: 'text' }],
  });
  expect([message.content, counted]).toEqual([[image('data:image/png;base64,AAAA')], undefined]);
});

test('what a provider throws has a code and a message without its key', async () => {
  const model = aiSdkModel({
    ...painter([]),
    doStream: () => Promise.reject(new Error('Key sk-abcdefgh1234567890')),
  });
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.not.stringContaining('abcdefgh'),
  });
});

test('a model that sees no images reads a note', async () => {
  const received: LanguageModelV3CallOptions[] = [];
  const content = [image('data:image/png;base64,AAAA')];
  const request = userRequest('', { messages: [{ role: 'user', content, thinking_blocks: [] }] });
  await aiSdkModel(painter(received), { vision: false }).generate(request);
  expect(JSON.stringify(received[0]?.prompt)).toContain('1 image left out');
});
