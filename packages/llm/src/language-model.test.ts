import { describe, test } from 'vitest';
import { openaiChat } from './openai/openai-chat.ts';
import { retry } from './retry.ts';
import { languageModelContract, scriptedModel, scriptedServer, type OpenModel } from './testing/index.ts';

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
  'retry(openaiChat)': async (steps) => {
    const opened = await served()(steps);
    return { model: patient(opened.model), [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  },
};

describe.for(Object.entries(models))('%s', ([, open]) => {
  test.for(languageModelContract)('$title', (check) => check.run(open));
});
