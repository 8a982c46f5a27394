import { expect, test } from 'vitest';
import { text, type Message } from '@varve/events';
import { userRequest, scriptedServer, type ScriptedServer, type ScriptedStep } from '../testing/index.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { openaiChat, type OpenAiChatOptions } from '../chat/openai-chat.ts';

const ok = { text: 'Hello.' };

function rejecting(message: string, status = 400): ScriptedStep {
  return { fault: { kind: 'answer', status, body: { error: { message } } } };
}

function bodies({ requests }: ScriptedServer): readonly Readonly<Record<string, unknown>>[] {
  return requests.map((each) => JSON.parse(each.text) as Readonly<Record<string, unknown>>);
}

function modelAt({ url }: ScriptedServer, options: Partial<OpenAiChatOptions> = {}) {
  return openaiChat({ model: 'm', baseUrl: url, ...options });
}

const noLimit = rejecting("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.");

test.for([true, false])(
  'a rejected parameter is changed in the same call and in later ones (stream: %s)',
  async (stream) => {
    await using server = await scriptedServer([noLimit, ok, ok]);
    const changes: Partial<Dialect>[] = [];
    const model = modelAt(server, {
      stream,
      parameters: { maxOutputTokens: 9 },
      onDialectChange: (each) => changes.push(each),
    });
    const first = await model.generate(userRequest('Hi'));
    const second = await model.generate(userRequest('Hi'));
    expect([first.attempts, second.attempts]).toEqual([2, 1]);
    const limits = bodies(server).map((body) => [body['max_tokens'], body['max_completion_tokens']]);
    expect(limits).toEqual([
      [9, undefined],
      [undefined, 9],
      [undefined, 9],
    ]);
    expect(changes).toEqual([{ outputLimit: 'max_completion_tokens' }]);
  },
);

test('several rejections of one request are handled one after the other', async () => {
  const steps = ['temperature', 'top_p'].map((name) => rejecting(`Unsupported parameter: '${name}'`));
  await using server = await scriptedServer([...steps, ok]);
  const reply = await modelAt(server).generate(userRequest('Hi', { parameters: { temperature: 0, topP: 0.5 } }));
  expect(reply.attempts).toBe(3);
  expect(bodies(server).at(-1)).toEqual({ model: 'm', messages: expect.any(Array) });
});

test('a rejection that the workaround does not fix is the failure', async () => {
  await using server = await scriptedServer([noLimit, noLimit]);
  const asked = modelAt(server).generate(userRequest('Hi'));
  await expect(asked).rejects.toMatchObject({ code: 'unsupported', status: 400 });
  server.assertDone();
});

test('a field that is rejected under both names is not retried forever', async () => {
  const other = rejecting("Unknown parameter: 'max_completion_tokens'");
  await using server = await scriptedServer([noLimit, other]);
  await expect(modelAt(server).generate(userRequest('Hi'))).rejects.toMatchObject({ code: 'unsupported' });
  server.assertDone();
});

test('an affordable limit applies to one request', async () => {
  await using server = await scriptedServer([
    rejecting('You requested up to 65536 tokens, but can only afford 4000.', 402),
    ok,
    ok,
  ]);
  const model = modelAt(server, { parameters: { maxOutputTokens: 65_536 } });
  await model.generate(userRequest('Hi'));
  await model.generate(userRequest('Hi'));
  expect(bodies(server).map((body) => body['max_tokens'])).toEqual([65_536, 4000, 65_536]);
});

test('history without reasoning is sent again with it', async () => {
  await using server = await scriptedServer([
    rejecting('reasoning_content is missing in assistant tool call message'),
    ok,
  ]);
  const call = { id: 'a', name: 'grep', arguments: '{}', origin: 'completion' } as const;
  const history = userRequest('Hi').messages.concat([
    { role: 'assistant', content: [], tool_calls: [call], reasoning_content: 'I think.', thinking_blocks: [] },
    { role: 'tool', content: [], tool_call_id: 'a', thinking_blocks: [] },
  ]);
  await modelAt(server).generate(userRequest('', { messages: history }));
  const messages = bodies(server).map((body) => (body['messages'] as readonly object[])[1]);
  expect(messages).toEqual([
    expect.not.objectContaining({ reasoning_content: 'I think.' }),
    expect.objectContaining({ reasoning_content: 'I think.' }),
  ]);
});

test('concurrent calls change the dialect once', async () => {
  await using server = await scriptedServer([noLimit, noLimit, ok, ok]);
  let changes = 0;
  const model = modelAt(server, { parameters: { maxOutputTokens: 9 }, onDialectChange: () => (changes += 1) });
  await Promise.all([model.generate(userRequest('Hi')), model.generate(userRequest('Hi'))]);
  expect(changes).toBe(1);
  expect(server.requests.filter((each) => each.text.includes('"max_tokens"'))).toHaveLength(2);
});

test('the dialect option overrides the rules, until the server rejects it', async () => {
  await using server = await scriptedServer([ok, rejecting("Unknown parameter: 'prompt_cache_key'"), ok]);
  const model = modelAt(server, { dialect: { cacheKey: true } });
  await model.generate(userRequest('Hi', { cacheKey: 'c' }));
  await model.generate(userRequest('Hi', { cacheKey: 'c' }));
  expect(bodies(server).map((body) => body['prompt_cache_key'])).toEqual(['c', 'c', undefined]);
  expect(model.spec).toMatchObject({ dialect: { cacheKey: true } });
});

test('an abort while a request is sent again ends the call', async () => {
  const caller = new AbortController();
  const step: ScriptedStep = () => {
    setImmediate(() => caller.abort());
    return { ...ok, fault: { kind: 'hang', afterPieces: 0 } };
  };
  await using server = await scriptedServer([noLimit, step]);
  const asked = modelAt(server).generate(userRequest('Hi'), { signal: caller.signal });
  await expect(asked).rejects.toMatchObject({ code: 'aborted' });
});

test('later requests to a server that cannot stream ask for whole replies', async () => {
  await using server = await scriptedServer([rejecting('Streaming is not supported for this model.'), ok, ok]);
  const model = modelAt(server);
  await model.generate(userRequest('Hi'), { onDelta: () => undefined });
  await model.generate(userRequest('Hi'), { onDelta: () => undefined });
  expect(bodies(server).map((body) => body['stream'])).toEqual([true, undefined, undefined]);
});

const called: readonly Message[] = [
  { role: 'user', content: [text('Hi')], thinking_blocks: [] },
  {
    role: 'assistant',
    content: [],
    tool_calls: ['c1', 'c2'].map((id) => ({ id, name: 'look.up', arguments: '{}', origin: 'completion' })),
    thinking_blocks: [],
  },
  { role: 'tool', tool_call_id: 'c1', name: 'look.up', content: [text('1')], thinking_blocks: [] },
  { role: 'tool', tool_call_id: 'c2', name: 'look.up', content: [text('2')], thinking_blocks: [] },
];

test.for([
  'litellm.UnsupportedParamsError: Anthropic expects the `tools=` param to be passed in when using tool calling.',
  'Requests which include `tool_use` or `tool_result` blocks must define tools',
  'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
])('tools that were called and are no longer offered are offered where the server requires it: %s', async (message) => {
  await using server = await scriptedServer([rejecting(message), ok]);
  const reply = await modelAt(server).generate(userRequest('', { messages: called }));
  expect(reply.attempts).toBe(2);
  const [first, second] = bodies(server);
  const name = expect.stringMatching(/^look_up_/) as string;
  expect(first).not.toHaveProperty('tools');
  expect(second).toMatchObject({ tools: [{ function: { name } }], tool_choice: 'none' });
  expect(second?.['tools']).toHaveLength(1);
  expect(second?.['messages']).toEqual(first?.['messages']);
});

test('a rejection that requires tools fails when none was called, or when tools are offered', async () => {
  const wanting = rejecting('Requests must define tools');
  await using server = await scriptedServer([wanting, wanting, wanting]);
  const model = modelAt(server);
  const failure = { code: 'bad-request', status: 400 };
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject(failure);
  await expect(model.generate(userRequest('', { messages: called }))).rejects.toMatchObject(failure);
  server.assertDone();
});
