import { expect, test } from 'vitest';
import { textOf } from '@varve/events';
import { type Delta, messageDeltas } from '../delta.ts';
import { retry } from '../retry.ts';
import { userRequest, scriptedServer, type ScriptedStep } from '../testing/index.ts';
import { openaiChat } from '../chat/openai-chat.ts';

const tools = [
  {
    name: 'grep',
    description: 'Searches.',
    parameters: { type: 'object', properties: { pattern: { type: 'string' } }, required: ['pattern'] },
  },
];

const error = { message: 'Failed to call a function.', type: 'invalid_request_error', code: 'tool_use_failed' };

/** Rejected with status 400, or within a stream after these words. */
function rejection(failedGeneration: string, firstText?: string): ScriptedStep {
  const body = { error: { ...error, failed_generation: failedGeneration } };
  if (firstText === undefined) return { fault: { kind: 'answer', status: 400, body } };
  const first = `data: ${JSON.stringify({ choices: [{ delta: { content: firstText } }] })}\n\n`;
  const stream = `${first}event: error\ndata: ${JSON.stringify(body)}\n\n`;
  return { fault: { kind: 'answer', headers: { 'content-type': 'text/event-stream' }, body: stream } };
}

const calls = [
  '<function=grep>\n<parameter=pattern>main</parameter>\n</function>',
  '<tool_call>\n{"name":"grep","arguments":{"pattern":"main"}}\n</tool_call>',
  '{"name": "grep", "arguments": {"pattern": "main"}}',
  'I look.\n<invoke name="grep"><parameter name="pattern">main</parameter></invoke>',
];

test.for(calls.flatMap((written) => [[written], [written, '']] as const))(
  'a call that its server could not read is one: %j',
  async ([written, firstText]) => {
    await using server = await scriptedServer([rejection(written, firstText)]);
    const deltas: Delta[] = [];
    const model = openaiChat({ model: 'm', baseUrl: server.url });
    const reply = await model.generate(userRequest('Hi', { tools }), { onDelta: (delta) => deltas.push(delta) });
    const [call] = reply.message.tool_calls ?? [];
    expect([reply.finish, call?.name, JSON.parse(call?.arguments ?? '')]).toEqual([
      'tool-calls',
      'grep',
      { pattern: 'main' },
    ]);
    expect(textOf(reply.message.content)).toBe(written.startsWith('I') ? 'I look.' : '');
    expect(deltas).toEqual(messageDeltas(reply.message));
  },
);

test.for([
  ['a tool that was not offered', '{"name":"rm","arguments":{}}'],
  ['half a call', '<function=grep>\n<parameter=pattern>ma'],
  ['words', 'I would rather not.'],
] as const)("%s is a failure with the model's output, and the request is retried", async ([, written]) => {
  await using server = await scriptedServer([rejection(written), rejection(written)]);
  const model = retry({ sleep: async () => undefined })(openaiChat({ model: 'm', baseUrl: server.url }));
  const asked = model.generate(userRequest('Hi', { tools }));
  const partial = { text: written, reasoning: '' };
  await expect(asked).rejects.toMatchObject({ code: 'malformed-reply', status: 400, partial });
  server.assertDone();
});

test('a call that its server could not read replaces the text that was streamed before', async () => {
  const [written = ''] = calls;
  await using server = await scriptedServer([rejection(written, 'I lo')]);
  const deltas: Delta[] = [];
  const model = openaiChat({ model: 'm', baseUrl: server.url });
  const reply = await model.generate(userRequest('Hi', { tools }), { onDelta: (delta) => deltas.push(delta) });
  expect(reply.message.tool_calls?.map(({ name }) => name)).toEqual(['grep']);
  const reset = { kind: 'reset', reason: 'The server could not read a call of the reply.' };
  expect(deltas).toEqual([{ kind: 'text', text: 'I lo' }, reset, ...messageDeltas(reply.message)]);
});

test('a call that does not match its schema keeps its arguments and the reasoning that was streamed before', async () => {
  const written = '{"name": "grep", "arguments": {"regex": "main"}}';
  const thought = { choices: [{ delta: { role: 'assistant', reasoning: 'I grep.' } }] };
  const failure = { error: { ...error, failed_generation: written, status_code: 400 } };
  const body = [thought, failure].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
  const headers = { 'content-type': 'text/event-stream' };
  await using server = await scriptedServer([{ fault: { kind: 'answer', headers, body } }]);
  const model = openaiChat({ model: 'm', baseUrl: server.url });
  const { message } = await model.generate(userRequest('Hi', { tools }), { onDelta: () => undefined });
  expect(message.reasoning_content).toBe('I grep.');
  expect(message.tool_calls?.map(({ arguments: json }) => json)).toEqual(['{"regex":"main"}']);
});

test('a call is not a reply when no tool was offered', async () => {
  const [written = ''] = calls;
  await using server = await scriptedServer([rejection(written)]);
  const model = openaiChat({ model: 'm', baseUrl: server.url });
  const failure = { code: 'malformed-reply', partial: { text: written, reasoning: '' } };
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject(failure);
});

test('a key is in no error, and unchanged in the call', async () => {
  const key = 'my-own-key-1234';
  const call = JSON.stringify({ name: 'grep', arguments: { pattern: key } });
  await using server = await scriptedServer([rejection(call), rejection(call)]);
  const model = openaiChat({ model: 'm', baseUrl: server.url, apiKey: key });
  const { message } = await model.generate(userRequest('Hi', { tools }));
  expect(message.tool_calls?.[0]?.arguments).toBe(JSON.stringify({ pattern: key }));
  const partial = { text: call.replace(key, '[redacted]') };
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject({ partial });
});
