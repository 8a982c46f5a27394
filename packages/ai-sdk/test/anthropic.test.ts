import { createAnthropic } from '@ai-sdk/anthropic';
import { Conversation, defineAgent } from '@varve/agent';
import type { LanguageModel } from '@varve/llm';
import { userRequest } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool } from '@varve/tools';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { aiSdkModel } from '@varve/ai-sdk';
import { wireServer, type WireAnswer } from './wire-server.ts';

// Exchanges as https://docs.anthropic.com/en/api/messages-streaming describes them.
const usage = {
  input_tokens: 20,
  output_tokens: 1,
  cache_creation_input_tokens: 30,
  cache_read_input_tokens: 50,
};

function streamed(id: string, stop: string, blocks: readonly (readonly object[])[]): WireAnswer {
  const content = blocks.flatMap(([content_block, ...deltas], index) => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]);
  const message = { id, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content: [], usage };
  return {
    events: [
      { type: 'message_start', message },
      { type: 'ping' },
      ...content,
      { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 42 } },
      { type: 'message_stop' },
    ],
  };
}

const thinking = [
  { type: 'thinking', thinking: '', signature: '' },
  { type: 'thinking_delta', thinking: 'The weather ' },
  { type: 'thinking_delta', thinking: 'is asked for.' },
  { type: 'signature_delta', signature: 'EqQBCgIYAg==' },
];
const call = streamed('msg_1', 'tool_use', [
  thinking,
  [{ type: 'redacted_thinking', data: 'c2VhbGVk' }],
  [
    { type: 'text', text: '' },
    { type: 'text_delta', text: 'I look ' },
    { type: 'text_delta', text: 'it up.' },
  ],
  [
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} },
    { type: 'input_json_delta', partial_json: '{"city": "Ber' },
    { type: 'input_json_delta', partial_json: 'gen"}' },
  ],
]);
const answer = streamed('msg_2', 'end_turn', [
  [
    { type: 'text', text: '' },
    { type: 'text_delta', text: 'Rain.' },
  ],
]);

const tools = [
  { name: 'weather', description: 'Returns the weather.', parameters: { type: 'object', properties: {} } },
];

const textBlock = (value: string) => ({ type: 'text', text: value, cache_prompt: false }) as const;

function modelAt(url: string): LanguageModel {
  return aiSdkModel(createAnthropic({ baseURL: url, apiKey: 'k' })('claude-sonnet-4-5'));
}

test('a reply has text, reasoning, calls and all kinds of tokens, and its deltas add up to it', async () => {
  await using server = await wireServer([call]);
  const pieces = { text: '', reasoning: '', 'tool-call': '' };
  const reply = await modelAt(server.url).generate(userRequest('Weather?', { tools }), {
    onDelta(delta) {
      if (delta.kind !== 'reset') pieces[delta.kind] += delta.kind === 'tool-call' ? delta.arguments : delta.text;
    },
  });
  expect(pieces).toEqual({
    text: 'I look it up.',
    reasoning: 'The weather is asked for.',
    'tool-call': '{"city": "Bergen"}',
  });
  expect(reply).toMatchObject({ id: 'msg_1', model: 'claude-sonnet-4-5', finish: 'tool-calls' });
  expect(reply.message).toMatchObject({
    content: [{ text: 'I look it up.' }],
    reasoning_content: 'The weather is asked for.',
    tool_calls: [{ id: 'toolu_1', name: 'weather', arguments: '{"city": "Bergen"}' }],
  });
  expect(reply.usage).toMatchObject({
    input_tokens: 100,
    output_tokens: 42,
    cache_read_tokens: 50,
    cache_write_tokens: 30,
  });
});

test('signed reasoning of a stored conversation is sent back as it came, after a resume, too', async () => {
  await using server = await wireServer([call, answer, answer]);
  const weather = defineTool({
    name: 'weather',
    description: 'Returns the weather.',
    input: z.object({ city: z.string().describe('The city.') }),
    effect: 'read',
    execute: async ({ city }) => `Rain in ${city}.`,
  });
  const agent = defineAgent({ model: modelAt(server.url), tools: [weather] });
  await using store = memoryStore();
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send('Weather in Bergen?');
  await conversation.run();
  await conversation[Symbol.asyncDispose]();
  await using resumed = await Conversation.open({ id: conversation.id, agent, store });
  await resumed.send('And now?');
  await resumed.run();
  const reply = {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'The weather is asked for.', signature: 'EqQBCgIYAg==' },
      { type: 'redacted_thinking', data: 'c2VhbGVk' },
      { type: 'text', text: 'I look it up.' },
      { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Bergen' } },
    ],
  };
  const [, second, third] = server.bodies.map(({ messages }) => (messages as object[])[1]);
  expect(second).toEqual(reply);
  expect(third).toEqual(reply);
});

test('prefixes to cache are marked, results of one reply are one message, and images follow them', async () => {
  await using server = await wireServer([answer]);
  const image = { type: 'image', image_urls: ['data:image/png;base64,AAAA'], cache_prompt: false } as const;
  const [hi] = userRequest('Hi').messages;
  const calls = ['a.1', 'b'].map((id) => ({ id, name: 'see', arguments: '{}', origin: 'completion' }) as const);
  await modelAt(server.url).generate({
    messages: [
      { role: 'system', content: [textBlock('Be brief.'), textBlock('You are in Bergen.')], thinking_blocks: [] },
      ...(hi ? [hi] : []),
      { role: 'assistant', content: [], tool_calls: calls, thinking_blocks: [] },
      { role: 'tool', tool_call_id: 'a.1', content: [image], thinking_blocks: [] },
      { role: 'tool', tool_call_id: 'b', content: [textBlock('Nothing.')], thinking_blocks: [] },
    ],
    tools: [],
    parameters: { temperature: 0.5, maxOutputTokens: 100, stop: ['END'] },
  });
  const cache_control = { type: 'ephemeral' };
  expect(server.bodies[0]).toMatchObject({
    max_tokens: 100,
    temperature: 0.5,
    stop_sequences: ['END'],
    system: [
      { type: 'text', text: 'Be brief.', cache_control },
      { type: 'text', text: 'You are in Bergen.' },
    ],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: expect.stringMatching(/^call_/) },
          { type: 'tool_use', id: 'b' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', content: expect.stringContaining('1 image') },
          { type: 'tool_result', content: 'Nothing.' },
          { type: 'text', text: 'Images from the result of call a.1:' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' }, cache_control },
        ],
      },
    ],
  });
});

const failures = [
  ['context-overflow', 400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'],
  ['unauthenticated', 401, 'authentication_error', 'invalid x-api-key'],
  ['rate-limited', 429, 'rate_limit_error', 'Number of requests has exceeded your rate limit.'],
  ['rate-limited', 529, 'overloaded_error', 'Overloaded'],
  ['unknown-model', 404, 'not_found_error', 'model: claude-none'],
] as const;

test.for(failures)('%s is the code of %i %s', async ([code, status, type, message]) => {
  const json = { type: 'error', error: { type, message } };
  await using server = await wireServer([{ status, headers: { 'retry-after': '7' }, json }]);
  await expect(modelAt(server.url).generate(userRequest('Hi'))).rejects.toMatchObject({
    code,
    status,
    retryAfterMs: 7000,
    message: expect.stringContaining(message.slice(0, 10)),
  });
});

test('an error in a stream keeps its code and what was received', async () => {
  const begun = streamed('msg_3', 'end_turn', [
    [
      { type: 'text', text: '' },
      { type: 'text_delta', text: 'It ' },
    ],
  ]);
  const events = 'events' in begun ? begun.events.slice(0, 4) : [];
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  await using server = await wireServer([{ events: [...events, error] }, { events }]);
  const model = modelAt(server.url);
  const generate = async () => model.generate(userRequest('Hi'));
  await expect(generate()).rejects.toMatchObject({ code: 'rate-limited', partial: { text: 'It ' } });
  await expect(generate()).rejects.toMatchObject({ code: 'unavailable', partial: { text: 'It ' } });
});
