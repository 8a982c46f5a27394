import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import { scriptedServer, userRequest, type ScriptedStep } from '../testing/index.ts';
import { openaiChat } from './openai-chat.ts';

function whole(body: Readonly<Record<string, unknown>>): ScriptedStep {
  return { fault: { kind: 'answer', body } };
}

function streamed(...chunks: readonly unknown[]): ScriptedStep {
  const body = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
  return { fault: { kind: 'answer', headers: { 'content-type': 'text/event-stream' }, body } };
}

function thinking(text: string): unknown {
  return { type: 'thinking', thinking: [{ type: 'text', text }] };
}

const thoughtful: readonly (readonly [string, ScriptedStep])[] = [
  [
    'a whole reply',
    whole({ choices: [{ message: { content: [thinking('Hm, so.'), { type: 'text', text: 'Yes.' }] } }] }),
  ],
  [
    'a streamed reply',
    streamed(
      { choices: [{ index: 0, delta: { content: [thinking('Hm,')] } }] },
      { choices: [{ index: 0, delta: { content: [thinking(' so.'), null] } }] },
      { choices: [{ index: 0, delta: { content: [{ type: 'text', text: 'Ye' }] } }] },
      { choices: [{ index: 0, delta: { content: 's.' }, finish_reason: 'stop' }] },
    ),
  ],
];

test.for(thoughtful)('the thinking parts of %s by Mistral are its reasoning', async ([, step]) => {
  await using server = await scriptedServer([step]);
  const { message } = await openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Hi'));
  expect([message.reasoning_content, textOf(message.content)]).toEqual(['Hm, so.', 'Yes.']);
});

/** A message of Snowflake, whose unused fields are empty. */
const zeros = { content: 'Yes.', function_call: { arguments: '', name: '' }, tool_calls: null };

test.for([
  ['a whole reply', whole({ id: '', choices: [{ message: zeros, finish_reason: '' }] })],
  ['a streamed reply', streamed({ id: '', choices: [{ index: 0, delta: zeros, finish_reason: '' }] })],
] as const)('empty fields in %s by Snowflake count as missing', async ([, step]) => {
  await using server = await scriptedServer([step]);
  const { id, message } = await openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Hi'));
  expect([textOf(message.content), message.tool_calls]).toEqual(['Yes.', undefined]);
  expect(id).toMatch(/^reply_/);
});

test('usage that a stream of Groq reports only in x_groq is that of the reply', async () => {
  const step = streamed(
    { choices: [{ index: 0, delta: { content: 'Yes.' } }], x_groq: { id: 'req' } },
    {
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      x_groq: { id: 'req', usage: { prompt_tokens: 7, completion_tokens: 2 } },
    },
  );
  await using server = await scriptedServer([step]);
  const { usage } = await openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Hi'));
  expect(usage).toMatchObject({ input_tokens: 7, output_tokens: 2 });
});

test('a response without a choice is refused with the names of its fields', async () => {
  await using server = await scriptedServer([whole({ id: 'r', object: 'status' })]);
  const message = 'm sent a response without a readable choice: its fields are "id", "object".';
  await expect(openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Hi'))).rejects.toMatchObject({
    code: 'malformed-reply',
    message: expect.stringContaining(message),
  });
});

const message = { content: 'Yes.' };
const delta = message;

/** Unusual forms in which text, calls or usage are nevertheless contained. */
const unusual: readonly (readonly [string, ScriptedStep])[] = [
  ['a null entry in choices', whole({ choices: [null, { message }] })],
  ['a null entry in the choices of a stream', streamed({ choices: [null, { delta, finish_reason: 'stop' }] })],
  ['a lone choice with the index 1', whole({ choices: [{ index: 1, message }] })],
  [
    'a stream of a lone choice with the index 1',
    streamed(
      { choices: [{ index: 1, delta: { content: 'Ye' } }] },
      { choices: [{ index: 1, delta: { content: 's.' }, finish_reason: 'stop' }] },
    ),
  ],
  ['the text of a completion', whole({ choices: [{ text: 'Yes.', finish_reason: 'stop' }] })],
  [
    'a stream of the text of a completion',
    streamed({ choices: [{ text: 'Ye' }] }, { choices: [{ text: 's.', finish_reason: 'stop' }] }),
  ],
  ['an unreadable choice next to a readable one', whole({ choices: ['x', { message }, 5] })],
  ['an unreadable content part', whole({ choices: [{ message: { content: [null, 5, { text: 'Yes.' }] } }] })],
  ['unreadable reasoning', whole({ choices: [{ message: { ...message, reasoning_details: [null, 5] } }] })],
  ['a call without a name and arguments', whole({ choices: [{ message: { ...message, tool_calls: [{}, null] } }] })],
];

test.for(unusual)('text is read from %s', async ([, step]) => {
  await using server = await scriptedServer([step]);
  const reply = await openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Hi'));
  expect([textOf(reply.message.content), reply.message.tool_calls]).toEqual(['Yes.', undefined]);
});

const grep = { id: 'a', function: { name: 'grep', arguments: '{}' } };
const nameless = { id: 'b', function: { arguments: '{"a":1}' } };

test('text is kept next to a call without a name, which is reported as not read', async () => {
  await using server = await scriptedServer([
    whole({ choices: [{ message: { ...message, tool_calls: [nameless] } }] }),
  ]);
  const reply = await openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Hi'));
  expect([textOf(reply.message.content), reply.message.tool_calls, reply.finish]).toEqual([
    'Yes.',
    undefined,
    'unread-calls',
  ]);
});

test('an empty call next to another one is left out; arguments without a name are refused', async () => {
  const steps = [{}, nameless].map((other) => whole({ choices: [{ message: { tool_calls: [grep, other] } }] }));
  await using server = await scriptedServer(steps);
  const model = openaiChat({ model: 'm', baseUrl: server.url });
  expect((await model.generate(userRequest('Hi'))).message.tool_calls).toMatchObject([{ name: 'grep' }]);
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject({
    code: 'malformed-reply',
    message: expect.stringContaining('a call without a name'),
  });
});

test('an error that a stream of Groq reports only in x_groq is that of the call', async () => {
  const step = streamed(
    { choices: [{ index: 0, delta: { content: 'Ye' } }] },
    { choices: [], x_groq: { id: 'req', error: 'The engine is overloaded.' } },
  );
  await using server = await scriptedServer([step]);
  await expect(openaiChat({ model: 'm', baseUrl: server.url }).generate(userRequest('Hi'))).rejects.toMatchObject({
    code: 'rate-limited',
    message: expect.stringContaining('The engine is overloaded.'),
    partial: { text: 'Ye' },
  });
});
