import { expect, test } from 'vitest';
import { text, type BaseEvent, type Content } from '@varve/events';
import { maskFact } from '@varve/events/facts';
import { eventLines } from '@varve/events/text';
import { openaiChat, type LanguageModel, type ModelRequest } from '@varve/llm';
import { scriptedServer, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish, type Tool } from '@varve/tools';
import * as z from 'zod';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { verifyRequests } from '../src/replay/verify-requests.ts';

const urlOf = (name: string): string => `data:image/png;base64,${name}`;
const image = (name: string): Content => ({ type: 'image', image_urls: [urlOf(name)], cache_prompt: false });
const refuse = (message: string, code: 'bad-request' | 'refused' = 'bad-request'): ScriptedTurn => ({
  error: { code, message },
});
const takePicture: ScriptedTurn = { calls: [{ name: 'camera', arguments: {} }] };
const camera: Tool = defineTool({
  name: 'camera',
  description: 'Takes a picture.',
  input: z.object({}),
  effect: 'read',
  execute: async () => 'Here it is:',
  present: (note) => [text(note), image('BROKEN')],
});

/** A model of a server, and the requests that it was sent. */
async function modelOf(steps: readonly ScriptedStep[], vision = true) {
  const server = await scriptedServer(steps);
  const chat = openaiChat({ model: 'm', baseUrl: server.url, vision });
  const requests: ModelRequest[] = [];
  const model: LanguageModel = {
    ...chat,
    generate: (request, options) => (requests.push(request), chat.generate(request, options)),
  };
  const images = () =>
    requests.map(({ messages }) =>
      messages.flatMap(({ content }) => content.flatMap((part) => (part.type === 'image' ? part.image_urls : []))),
    );
  return { model, requests, images, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function started(model: LanguageModel, content: readonly Content[] = [text('Go.')]) {
  const store = memoryStore();
  const agent = defineAgent({ model, tools: () => [camera, finish()] });
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send(content);
  const events = () => Array.fromAsync(conversation.events(), ({ event }): BaseEvent => event);
  const checks = async () => {
    const log = await store.read(conversation.id);
    return Array.fromAsync(verifyRequests(log), ({ messages }) => messages);
  };
  return { conversation, events, checks };
}

test.each(['image exceeds 5 MB maximum', 'images larger than 8000 pixels are not supported', 'nope'])(
  'an image that is refused with "%s" is left out of this and every later request, and this is shown',
  async (words) => {
    const steps = [{ text: 'Fine.' }, refuse(words), { text: 'No picture.' }, { text: 'Yes.' }];
    await using sent = await modelOf(steps);
    const { conversation, events, checks } = await started(sent.model, [text('First.'), image('GOOD')]);
    await conversation.run();
    await conversation.send([text('Look.'), image('HUGE')]);
    expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'No picture.' });
    await conversation.send('Still there?');
    expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'Yes.' });
    const good = urlOf('GOOD');
    expect(sent.images()).toEqual([[good], [good, urlOf('HUGE')], [good], [good]]);
    expect(JSON.stringify(sent.requests.at(-1)?.messages)).toContain(`answered 400: ${words}]`);
    expect(await checks()).toEqual(['same', 'same', 'same']);
    const shown = (await events()).flatMap((event) => eventLines(event)).map((line) => line.text);
    expect(shown.filter((line) => line.includes('1 event'))).toEqual([expect.stringContaining(words)]);
  },
);

test('the image of a tool result is left out, and its text stays', async () => {
  await using sent = await modelOf([takePicture, refuse('Invalid base64'), { text: 'It is broken.' }]);
  const { conversation } = await started(sent.model);
  expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'It is broken.' });
  expect(sent.requests.at(-1)?.messages.at(-1)?.content).toEqual([
    text('Here it is:'),
    text(expect.stringContaining('Invalid base64')),
  ]);
});

test('another model that refuses images of answered requests gets none', async () => {
  await using sent = await modelOf([{ text: 'Fine.' }]);
  const { conversation } = await started(sent.model, [text('First.'), image('GOOD')]);
  await conversation.run();
  await using other = await modelOf([refuse('image input is not supported'), { text: 'I am blind.' }]);
  conversation.switchModel(other.model);
  await conversation.send('And now?');
  expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'I am blind.' });
  expect(other.images()).toEqual([[urlOf('GOOD')], []]);
});

test('a result that a content policy refuses is left out', async () => {
  const flagged = refuse('flagged', 'refused');
  await using sent = await modelOf([takePicture, flagged, flagged, { text: 'I cannot see it.' }]);
  const { conversation, checks } = await started(sent.model);
  expect(await conversation.run()).toMatchObject({ reason: 'finished', text: 'I cannot see it.' });
  expect(sent.requests.at(-1)?.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: [text(expect.stringContaining('The result of this call is left out'))],
  });
  expect(await checks()).toEqual(['same', 'same']);
});

test('a request that is refused without its images as well fails with its first error, and they stay', async () => {
  await using sent = await modelOf([refuse('first'), refuse('second')]);
  const { conversation, events } = await started(sent.model, [text('Look.'), image('GOOD')]);
  expect(await conversation.run()).toMatchObject({
    reason: 'error',
    error: { message: expect.stringContaining('first') },
  });
  expect(sent.images()).toEqual([[urlOf('GOOD')], []]);
  expect((await events()).flatMap((event) => maskFact.read(event) ?? [])).toEqual([]);
});

test.each([
  ['a conversation without images', true, [text('Go.')]],
  ['a model that is sent no images', false, [text('Look.'), image('GOOD')]],
])('the request of %s is not repeated', async (_, vision, content) => {
  await using sent = await modelOf([refuse('first'), { text: 'Never.' }], vision);
  const { conversation } = await started(sent.model, content);
  expect(await conversation.run()).toMatchObject({ reason: 'error' });
  expect(sent.requests).toHaveLength(1);
});

test('a message that arrives during the repeated request does not change what it is verified against', async () => {
  const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: ScriptedStep = async () => {
    asked.resolve();
    await gate.promise;
    return { text: 'Seen.' };
  };
  await using sent = await modelOf([refuse('nope'), slow, { text: 'Both.' }]);
  const { conversation, checks } = await started(sent.model, [text('Look.'), image('HUGE')]);
  const run = conversation.run();
  await asked.promise;
  await conversation.send('One more thing.');
  gate.resolve();
  expect(await run).toMatchObject({ reason: 'finished', text: 'Both.' });
  expect(await checks()).toEqual(['same', 'same']);
});
