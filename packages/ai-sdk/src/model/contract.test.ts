import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { languageModelContract, scriptedModel, scriptedServer } from '@varve/llm/testing';
import { describe, test } from 'vitest';
import { aiSdkModel } from './ai-sdk-model.ts';
import { languageModelOf } from './language-model-of.ts';

type OpenModel = Parameters<(typeof languageModelContract)[number]['run']>[0];

const served: OpenModel = async (steps) => {
  const server = await scriptedServer(steps);
  const provider = createOpenAICompatible({ name: 'local', baseURL: server.url, includeUsage: true });
  return { model: aiSdkModel(provider('scripted')), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
};

// The provider reads no reply that is one JSON text in place of a stream.
const streamed = languageModelContract.filter(({ title }) => !/its code: (?:empty|truncated)/.test(title));

describe('a model of a provider that speaks the chat protocol, streamed', () => {
  test.for(streamed)('$title', (check) => check.run(served));
});

describe('a varve model as one of the AI SDK, and back', () => {
  test.for(languageModelContract)('$title', (check) =>
    check.run(async (steps) => ({
      model: aiSdkModel(languageModelOf(scriptedModel(steps))),
      [Symbol.asyncDispose]: async () => undefined,
    })),
  );
});
