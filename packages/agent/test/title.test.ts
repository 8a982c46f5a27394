import { expect, test } from 'vitest';
import { textOf } from '@varve/events';
import { openaiChat, retry } from '@varve/llm';
import { scriptedModel, scriptedServer, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { verifyRequests } from '../src/replay/verify-requests.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'All done.' } }] };

async function started(steps: readonly ScriptedStep[], secrets: readonly string[] = []) {
  const model = scriptedModel(steps);
  const agent = defineAgent({ model, tools: () => [finish()] });
  const store = memoryStore();
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd(), secrets });
  return { conversation, store, model };
}

test('generateTitle() names the conversation, leaves the view as it is, and counts the reply', async () => {
  const name = { text: ' 🐛 Fix the parser\n', costUsd: 0.25, usage: { input_tokens: 30, output_tokens: 5 } };
  const { conversation, store, model } = await started([done, name]);
  await conversation.send('The parser drops the last line. Fix it.');
  await conversation.run();
  const { view, status, leafId } = conversation.state;
  expect(await conversation.generateTitle()).toBe('🐛 Fix the parser');
  expect(conversation.state).toMatchObject({ title: '🐛 Fix the parser', view, status, leafId });
  expect(conversation.state.stats.byUsageId['title']).toMatchObject({ calls: 1, cost_usd: 0.25, input_tokens: 30 });
  expect((await store.summary(conversation.id)).meta).toMatchObject({ title: '🐛 Fix the parser' });
  expect(model.requests.at(-1)).toMatchObject({ tools: [], messages: [{ role: 'user' }] });
  const checks = await Array.fromAsync(verifyRequests(await store.read(conversation.id)), ({ messages }) => messages);
  expect(checks).toEqual(['same']);
});

test.for([
  ['fails', { fault: { kind: 'answer', status: 400, body: 'No.' } }],
  ['returns an empty text', { text: ' ' }],
] satisfies readonly (readonly [string, ScriptedTurn])[])(
  'when the model %s, the title is the first line of the first message, truncated',
  async ([, turn]) => {
    const { conversation } = await started([turn]);
    await conversation.send('0123456789 and a lot more\nMore.');
    expect(await conversation.generateTitle({ maxLength: 10 })).toBe('0123456...');
    expect(await conversation.generateTitle({ model: scriptedModel([turn]) })).toBe('0123456789 and a lot more');
  },
);

const family = '👩‍👩‍👧‍👦';

test.for<[string, string]>([
  ['x', `${'x'.repeat(47)}...`],
  [family, `${family.repeat(47)}...`],
  ['e\u0301', `${'e\u0301'.repeat(47)}...`],
  ['\u0301', '...'],
  [' ', '✨'],
  ['\n', '✨'],
  ['\r\n', '✨'],
])('a title that continues with a million characters of %j is cut', async ([unit, expected]) => {
  const isSpace = unit.trim() === '';
  const { conversation } = await started([
    { text: `${isSpace ? '✨' : ''}${unit.repeat(1_000_000)}${isSpace ? 'x' : ''}` },
  ]);
  await conversation.send('Go.');
  const title = await conversation.generateTitle();
  expect(isSpace ? title.slice(0, 1) : title).toBe(expected);
  expect(title.length).toBeLessThan(1000);
});

test("the model reads a thousand characters of the branch's first message, whatever other branches contain", async () => {
  const { conversation, model } = await started([done, { text: 'Other' }]);
  await conversation.send('The first way.');
  await conversation.run();
  await conversation.navigate(undefined);
  await expect(conversation.generateTitle()).rejects.toMatchObject({ code: 'nothing-to-do' });
  await conversation.send(`The other way. ${'x'.repeat(2000)}`);
  expect(await conversation.generateTitle({ model })).toBe('Other');
  const asked = textOf(model.requests.at(-1)?.messages[0]?.content ?? []);
  expect(asked).toContain('The other way.');
  expect(asked).not.toContain('The first way.');
  expect(asked.split('x').length).toBeLessThan(1010);
});

test('a title contains no secret, neither in the log nor as a return value', async () => {
  const { conversation } = await started([{ text: 'Use hunter2 well' }], ['hunter2']);
  await conversation.send('Go.');
  expect(await conversation.generateTitle()).not.toContain('hunter2');
  expect(conversation.state.title).not.toContain('hunter2');
});

test('a secret is masked before a title is cut, wherever', async () => {
  const secret = 'canary-0123456789';
  const starts = Array.from({ length: secret.length + 2 }, (_, at) => 50 - 3 - at);
  const titles = starts.map((length) => ({ text: `${'x'.repeat(length)}${secret} and more of it` }));
  const { conversation } = await started(titles, [secret]);
  await conversation.send('Go.');
  for (const length of starts) {
    const title = await conversation.generateTitle();
    expect([length, title, conversation.state.title]).toEqual([length, expect.not.stringMatching('cana'), title]);
  }
});

test('usage of failed attempts at a title counts, with or without a title', async () => {
  const nothing: ScriptedTurn = { text: '', usage: { input_tokens: 7, output_tokens: 2 }, costUsd: 0.5 };
  await using server = await scriptedServer([nothing, nothing, { text: 'A name', costUsd: 1 }, nothing, nothing]);
  const model = retry({ attempts: 3, sleep: async () => undefined })(openaiChat({ model: 'm', baseUrl: server.url }));
  const { conversation } = await started([]);
  await conversation.send('Go.');
  expect(await conversation.generateTitle({ model })).toBe('A name');
  expect(conversation.state.stats.byUsageId['title']).toMatchObject({ calls: 3, cost_usd: 2 });
  const twice = retry({ attempts: 2, sleep: async () => undefined })(openaiChat({ model: 'm', baseUrl: server.url }));
  expect(await conversation.generateTitle({ model: twice })).toBe('Go.');
  expect(conversation.state.stats.byUsageId['title']).toMatchObject({ calls: 5, cost_usd: 3 });
});

test('an aborted title generation sets no title', async () => {
  const { conversation } = await started([{ fault: { kind: 'hang', afterPieces: 0 } }]);
  await conversation.send('Go.');
  const abort = new AbortController();
  const naming = conversation.generateTitle({ signal: abort.signal });
  abort.abort();
  await expect(naming).rejects.toMatchObject({ code: 'aborted' });
  expect(conversation.state.title).toBeUndefined();
});

test('an application that names a conversation by itself replaces no title, also none that is set concurrently', async () => {
  const { conversation, model } = await started([{ text: 'Second' }]);
  await conversation.send('Go.');
  const renaming = {
    ...model,
    generate: async (...call: Parameters<typeof model.generate>) => {
      await conversation.rename('Mine');
      return model.generate(...call);
    },
  };
  expect(await conversation.generateTitle({ when: 'untitled', model: renaming })).toBe('Mine');
  expect(await conversation.generateTitle({ when: 'untitled' })).toBe('Mine');
  expect(conversation.state.title).toBe('Mine');
  expect(model.requests).toHaveLength(1);
});

test('a title that an application asks for by itself is not stored without a reply, and costs nothing at a limit', async () => {
  const reply: ScriptedTurn = { ...done, costUsd: 1 };
  const model = scriptedModel([reply]);
  const agent = defineAgent({ model, tools: () => [finish()], budget: { maxCostUsd: 1 } });
  const conversation = await Conversation.create({ agent, store: memoryStore(), workspace: process.cwd() });
  await conversation.send('The first line.\nMore.');
  const title = { when: 'untitled', model: scriptedModel([{ text: ' ' }]) } as const;
  expect(await conversation.generateTitle(title)).toBe('The first line.');
  await conversation.run();
  expect(await conversation.generateTitle({ when: 'untitled' })).toBe('The first line.');
  expect(model.requests).toHaveLength(1);
  expect(conversation.state).not.toHaveProperty('title');
});

test('a title writer names a conversation once, as soon as it has a message', async () => {
  const { conversation, model } = await started([{ text: 'Named' }, { text: 'Again' }]);
  const failures: unknown[] = [];
  await using title = conversation.titleWriter({
    model: async () => 'agent',
    onFailure: (error) => failures.push(error),
  });
  title.start();
  await title.finished();
  expect(model.requests).toHaveLength(0);
  await conversation.send('Go.');
  for (let round = 0; round < 2; round += 1) {
    title.start();
    await title.finished();
  }
  expect([conversation.state.title, model.requests.length, failures]).toEqual(['Named', 1, []]);
});

test('a title writer that is disposed abandons the title, and other failures than those of the model are reported', async () => {
  const { conversation } = await started([{ fault: { kind: 'hang', afterPieces: 0 } }]);
  await conversation.send('Go.');
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const abandoned = conversation.titleWriter({ model: async () => 'agent', onFailure });
  abandoned.start();
  await abandoned[Symbol.asyncDispose]();
  const failure = new Error('no settings');
  await using broken = conversation.titleWriter({ model: () => Promise.reject(failure), onFailure });
  broken.start();
  await broken.finished();
  expect(conversation.state.title).toBeUndefined();
  expect(failures).toEqual([failure]);
});
