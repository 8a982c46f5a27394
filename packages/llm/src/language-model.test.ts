import { describe, test } from 'vitest';
import { functionCalling } from './function-calling/function-calling.ts';
import { mockFunctionCalling } from './function-calling/mock-function-calling.ts';
import { openaiChat } from './chat/openai-chat.ts';
import { retry } from './retry.ts';
import { languageModelContract, scriptedModel, scriptedServer } from './testing/index.ts';
import type { OpenModel } from './testing/contract/model-check.ts';

const patient = retry({ sleep: async () => undefined });

const served =
  (stream?: boolean): OpenModel =>
  async (steps) => {
    const server = await scriptedServer(steps);
    const model = openaiChat({ model: 'scripted', baseUrl: server.url, ...(stream !== undefined && { stream }) });
    return { model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };

/** Every model: add its line here. */
const models: Readonly<Record<string, OpenModel>> = {
  scriptedModel: async (steps) => ({ model: scriptedModel(steps), [Symbol.asyncDispose]: async () => undefined }),
  openaiChat: served(),
  'openaiChat, always streaming': served(true),
  'functionCalling(openaiChat)': async (steps) => {
    const opened = await served()(steps);
    return { model: functionCalling()(opened.model), [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  },
  'retry(openaiChat)': async (steps) => {
    const opened = await served()(steps);
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
