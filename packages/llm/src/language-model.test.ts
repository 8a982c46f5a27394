import { AzureOpenAI, OpenAI } from 'openai';
import { describe, test } from 'vitest';
import { functionCalling } from './function-calling/function-calling.ts';
import { mockFunctionCalling } from './function-calling/mock-function-calling.ts';
import { openaiChat } from './chat/openai-chat.ts';
import type { LanguageModel } from './language-model.ts';
import { openaiResponses } from './responses/openai-responses.ts';
import { retry } from './retry.ts';
import { languageModelContract, scriptedModel, scriptedResponses, scriptedServer } from './testing/index.ts';
import type { OpenModel } from './testing/contract/model-check.ts';

const patient = retry({ sleep: async () => undefined });

const served =
  (create: (baseUrl: string) => LanguageModel, serve: typeof scriptedServer | typeof scriptedResponses): OpenModel =>
  async (steps) => {
    const server = await serve(steps);
    return { model: create(server.url), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };

const name = { model: 'scripted' };
const chat = (options: object = {}): OpenModel =>
  served((baseUrl) => openaiChat({ ...name, baseUrl, ...options }), scriptedServer);

/** Clients of the package `openai`, with its defaults: they retry, which the adapters turn off. */
const openai = (baseURL: string): OpenAI => new OpenAI({ baseURL, apiKey: 'k' });
const azure = (baseURL: string): AzureOpenAI =>
  new AzureOpenAI({
    baseURL,
    apiKey: 'k',
    apiVersion: 'v1',
    // The scripted server has the paths of OpenAI.
    fetch: (url, init) => fetch(new Request(url).url.replace(/\/deployments\/[^/]+|\?.*/g, ''), init),
  });

/** Every model: add its line here. */
const models: Readonly<Record<string, OpenModel>> = {
  scriptedModel: async (steps) => ({ model: scriptedModel(steps), [Symbol.asyncDispose]: async () => undefined }),
  openaiChat: chat(),
  'openaiChat, always streaming': chat({ stream: true }),
  'openaiChat with a client': served((url) => openaiChat({ ...name, client: openai(url) }), scriptedServer),
  'openaiChat with a client of Azure': served((url) => openaiChat({ ...name, client: azure(url) }), scriptedServer),
  openaiResponses: served((baseUrl) => openaiResponses({ ...name, baseUrl }), scriptedResponses),
  'openaiResponses with a client': served(
    (url) => openaiResponses({ ...name, client: openai(url) }),
    scriptedResponses,
  ),
  'functionCalling(openaiChat)': async (steps) => {
    const opened = await chat()(steps);
    return { model: functionCalling()(opened.model), [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  },
  'retry(openaiChat)': async (steps) => {
    const opened = await chat()(steps);
    return { model: patient(opened.model), [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  },
};

/** Models whose calls are text; they skip the checks that need fields for calls. */
const prompted: Readonly<Record<string, OpenModel>> = {
  'mockFunctionCalling(scriptedModel)': async (steps) => ({
    model: mockFunctionCalling({ callsPerReply: 'many' })(scriptedModel(steps, { prompted: true })),
    [Symbol.asyncDispose]: async () => undefined,
  }),
  'mockFunctionCalling(openaiChat)': async (steps) => {
    const server = await scriptedServer(steps, { prompted: true });
    const model = openaiChat({ model: 'scripted', baseUrl: server.url, stream: true });
    return {
      model: mockFunctionCalling({ callsPerReply: 'many' })(model),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  },
  'functionCalling(openaiChat) at a server that rejects tools': async (steps) => {
    const server = await scriptedServer(steps, { prompted: true });
    const model = functionCalling({ callsPerReply: 'many' })(openaiChat({ model: 'scripted', baseUrl: server.url }));
    return { model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  },
};

describe.for(Object.entries(models))('%s', ([, open]) => {
  test.for(languageModelContract)('$title', (check) => check.run(open));
});

describe.for(Object.entries(prompted))('%s', ([, open]) => {
  const checks = languageModelContract.filter(({ needs }) => needs !== 'call-fields');
  test.for(checks)('$title', (check) => check.run(open));
});
