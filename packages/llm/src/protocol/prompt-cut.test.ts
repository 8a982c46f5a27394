import { expect, test } from 'vitest';
import { userRequest, scriptedServer } from '../testing/index.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { openaiChat } from '../chat/openai-chat.ts';
import type { PromptCut } from './prompt-cut.ts';

const words = 'All the words of the conversation. '.repeat(500);

/** Reports for two prompts of about 4,000 tokens to a server that reports `readTokens`. */
async function promptCuts(readTokens: number | undefined, dialect: Partial<Dialect>, contextWindow?: number) {
  const step = { text: 'Ok.', ...(readTokens !== undefined && { usage: { input_tokens: readTokens } }) };
  await using server = await scriptedServer([step, step]);
  const cuts: PromptCut[] = [];
  const model = openaiChat({
    model: 'm',
    baseUrl: server.url,
    dialect,
    onPromptCut: (cut) => cuts.push(cut),
    ...(contextWindow !== undefined && { contextWindow }),
  });
  await model.generate(userRequest(words));
  await model.generate(userRequest(words));
  return { cuts, spec: model.spec };
}

const cutting = { cutsPrompts: true };

test('a prompt that a server read in part is reported once', async () => {
  const { cuts, spec } = await promptCuts(2000, cutting);
  expect(cuts).toEqual([{ readTokens: 2000, sentTokens: expect.any(Number) as number }]);
  expect(cuts[0]?.sentTokens).toBeGreaterThan(3500);
  expect(spec).not.toHaveProperty('onPromptCut');
});

test('a prompt that is longer than the configured window is reported', async () => {
  expect((await promptCuts(5000, {}, 4096)).cuts).toEqual([
    { readTokens: 5000, sentTokens: 5000, contextWindow: 4096 },
  ]);
});

test.for<readonly [string, number | undefined, Partial<Dialect>, number?]>([
  ['about all of it was read', 3600, cutting],
  ['the server is not known to cut', 2000, {}],
  ['the usage is unknown', undefined, cutting, 100],
  ['it fits the window', 4096, {}, 4096],
])('nothing is reported when %s', async ([, readTokens, dialect, contextWindow]) => {
  expect((await promptCuts(readTokens, dialect, contextWindow)).cuts).toEqual([]);
});
