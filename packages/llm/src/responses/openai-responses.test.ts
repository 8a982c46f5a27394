import { describe, expect, test } from 'vitest';
import type { Message } from '@varve/events';
import type { Delta } from '../delta.ts';
import type { LlmError } from '../error.ts';
import {
  userRequest,
  languageModelContract,
  scriptedResponses,
  type ScriptedServer,
  type ScriptedStep,
} from '../testing/index.ts';
import { openaiResponses, type OpenAiResponsesOptions } from './openai-responses.ts';
import type { OpenModel } from '../testing/contract/model-check.ts';

const served =
  (options: Partial<OpenAiResponsesOptions> = {}): OpenModel =>
  async (steps) => {
    const server = await scriptedResponses(steps);
    const model = openaiResponses({ model: 'scripted', baseUrl: server.url, ...options });
    return { model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  };

const models: Readonly<Record<string, OpenModel>> = {
  openaiResponses: served(),
  'openaiResponses, always streaming': served({ stream: true }),
};

describe.for(Object.entries(models))('%s', ([, open]) => {
  test.for(languageModelContract)('$title', (check) => check.run(open));
});

const calling = {
  id: 'r1',
  reasoning: 'Search first.',
  text: 'Looking.',
  calls: [{ id: 'call_1', name: 'grep', arguments: '{"pattern": "x"}' }],
};

function modelAt({ url }: ScriptedServer, options: Partial<OpenAiResponsesOptions> = {}) {
  return openaiResponses({ model: 'm', baseUrl: url, ...options });
}

function bodies({ requests }: ScriptedServer): readonly Readonly<Record<string, unknown>>[] {
  return requests.map(({ text }) => JSON.parse(text) as Readonly<Record<string, unknown>>);
}

function answered(message: Message): readonly Message[] {
  const results = (message.tool_calls ?? []).map(({ id }): Message => ({
    role: 'tool',
    tool_call_id: id,
    content: [{ type: 'text', text: 'found', cache_prompt: false }],
    thinking_blocks: [],
  }));
  return [...userRequest('Find x.').messages, message, ...results];
}

test.for([true, false])(
  'sealed reasoning goes back before what it led to, and nothing by its id (stream: %s)',
  async (stream) => {
    await using server = await scriptedResponses([calling, { text: 'Done.' }]);
    const model = modelAt(server, { stream });
    const { message } = await model.generate(userRequest('Find x.'));
    expect(message.responses_reasoning_item).toEqual({
      id: 'rs_r1',
      summary: ['Search first.'],
      encrypted_content: 'sealed:Search first.',
    });
    expect(message.tool_calls).toEqual([
      {
        id: 'call_1',
        name: 'grep',
        arguments: '{"pattern": "x"}',
        origin: 'responses',
        responses_item_id: 'fc_call_1',
        extra: { origin: `m at ${server.url}` },
      },
    ]);
    await model.generate(userRequest('', { messages: answered(message) }));
    expect(bodies(server)[1]).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(bodies(server)[1]?.['input']).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Find x.' }] },
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Search first.' }],
        encrypted_content: 'sealed:Search first.',
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'grep', arguments: '{"pattern": "x"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'found' },
    ]);
  },
);

test('a server that stores replies receives its ids', async () => {
  await using server = await scriptedResponses([calling, { text: 'Done.' }]);
  const model = modelAt(server, { store: true });
  const { message } = await model.generate(userRequest('Find x.'));
  await model.generate(userRequest('', { messages: answered(message) }));
  const body = bodies(server)[1];
  expect([body?.['store'], body?.['include']]).toEqual([true, undefined]);
  expect(body?.['input']).toMatchObject([{}, { id: 'rs_r1' }, {}, { id: 'fc_call_1', call_id: 'call_1' }, {}]);
  expect(model.spec).toMatchObject({ kind: 'openai-responses', store: true });
});

test('reasoning that the server cannot decrypt is left out, in the same call and in later ones', async () => {
  const rejection: ScriptedStep = {
    fault: {
      kind: 'answer',
      status: 400,
      body: { error: { message: 'The encrypted content could not be verified.' } },
    },
  };
  await using server = await scriptedResponses([rejection, { text: 'Done.' }]);
  const sealed: Message = {
    role: 'assistant',
    content: [{ type: 'text', text: 'Hm.', cache_prompt: false }],
    responses_reasoning_item: { summary: [], encrypted_content: 'of an older key' },
    extra: { origin: `m at ${server.url}` },
    thinking_blocks: [],
  };
  const request = userRequest('', {
    messages: [...userRequest('Hi').messages, sealed, ...userRequest('Continue.').messages],
  });
  expect((await modelAt(server).generate(request)).attempts).toBe(2);
  const kinds = bodies(server).map(({ input }) => (input as readonly { type: string }[]).map(({ type }) => type));
  expect(kinds).toEqual([
    ['message', 'reasoning', 'message', 'message'],
    ['message', 'message', 'message'],
  ]);
  expect(bodies(server)[1]).not.toHaveProperty('include');
});

test('encrypted reasoning is sent to its own server and model only, with calls or without', async () => {
  await using server = await scriptedResponses([calling, { text: 'Well.', reasoning: 'Hm.' }, { text: 'Ok.' }]);
  await using other = await scriptedResponses([{ text: 'Ok.' }]);
  const replies = [await modelAt(server).generate(userRequest('x')), await modelAt(server).generate(userRequest('x'))];
  const messages = replies.flatMap(({ message }) => answered(message));
  for (const model of [modelAt(server, { model: 'n' }), modelAt(other)]) {
    await model.generate(userRequest('', { messages }));
  }
  const sent = [bodies(server).at(-1), bodies(other).at(-1)].map((body) => JSON.stringify(body?.['input']));
  expect(sent.map((input) => /sealed:|"reasoning"/.test(input))).toEqual([false, false]);
  expect(sent.every((input) => input.includes('"call_id":"call_1"'))).toBe(true);
});

test('ids of other providers become plain ones, in calls and in results', async () => {
  await using server = await scriptedResponses([{ text: 'Ok.' }]);
  const call = { id: 'functions.grep:0', name: 'grep', arguments: '{}', origin: 'completion' } as const;
  const messages = answered({ role: 'assistant', content: [], tool_calls: [call], thinking_blocks: [] });
  await modelAt(server, { dialect: { callIds: 'plain' } }).generate(userRequest('', { messages }));
  const input = bodies(server).flatMap((body) => body['input'] as readonly { readonly call_id: string }[]);
  const [, made, result] = input;
  expect(made?.call_id).toMatch(/^call_[0-9a-f]{24}$/);
  expect(result?.call_id).toBe(made?.call_id);
});

/** Events as they come over the wire, without their names, which some servers leave out. */
function streamed(...events: readonly object[]): ScriptedStep {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return { fault: { kind: 'answer', headers: { 'content-type': 'text/event-stream' }, body } };
}

const reasoning = (id: string, text: string) => ({
  type: 'reasoning',
  id,
  summary: [{ type: 'summary_text', text }],
  encrypted_content: `e${id}`,
});
const messageItem = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});
const called = (id: string) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'grep',
  arguments: '{"a":1}',
});

test('items in an unusual order are sent back in that order, whole or streamed', async () => {
  const output = [
    reasoning('1', 'One.'),
    called('a'),
    reasoning('2', 'Two.'),
    messageItem('First.'),
    messageItem('Second.'),
    called('b'),
  ];
  const whole: ScriptedStep = { fault: { kind: 'answer', body: { id: 'r', status: 'completed', output } } };
  const events = output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item }));
  const end = { type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } };
  await using server = await scriptedResponses([whole, streamed(...events, end), { text: 'Done.' }]);
  const deltas: Delta[] = [];
  const model = modelAt(server);
  const { message, latencyMs: _slow, ...rest } = await model.generate(userRequest('Hi'));
  const again = await model.generate(userRequest('Hi'), { onDelta: (delta) => void deltas.push(delta) });
  expect(again).toMatchObject({ message, ...rest });
  expect(message.content).toMatchObject([{ text: 'First.\n\nSecond.' }]);
  expect(message.reasoning_content).toBe('One.\n\nTwo.');
  expect(
    deltas.map((delta) => (delta.kind === 'tool-call' ? delta.name : delta.kind === 'reset' ? '' : delta.text)),
  ).toEqual(['One.', 'grep', '\n\nTwo.', 'First.', '\n\nSecond.', 'grep']);
  await model.generate(userRequest('', { messages: answered(message) }));
  const input = bodies(server)[2]?.['input'] as readonly { type: string; role?: string; call_id?: string }[];
  expect(input.map(({ type, role, call_id: id }) => [type, role ?? id].join(' ').trim())).toEqual([
    'message user',
    'reasoning',
    'function_call a',
    'reasoning',
    'message assistant',
    'message assistant',
    'function_call b',
    'function_call_output a',
    'function_call_output b',
  ]);
});

interface Row {
  readonly title: string;
  readonly step: ScriptedStep;
  readonly code: LlmError['code'];
  readonly message?: RegExp;
}

const failed = {
  id: 'r',
  status: 'failed',
  output: [],
  error: { code: 'rate_limit_exceeded', message: 'Too many requests.' },
};

const rows: readonly Row[] = [
  {
    title: 'a failed event',
    step: streamed({ type: 'response.failed', response: failed }),
    code: 'rate-limited',
    message: /Too many/,
  },
  { title: 'a failed response', step: { fault: { kind: 'answer', body: failed } }, code: 'rate-limited' },
  {
    title: 'an error event without a name',
    step: streamed({ type: 'error', code: 'server_error', message: 'Oops.' }),
    code: 'unavailable',
    message: /Oops/,
  },
  {
    title: 'a stream that ends before its last event',
    step: streamed({ type: 'response.output_text.delta', delta: 'Hi' }),
    code: 'unavailable',
  },
  {
    title: 'a cancelled response',
    step: { fault: { kind: 'answer', body: { id: 'r', status: 'cancelled', output: [messageItem('Hi')] } } },
    code: 'unavailable',
  },
  {
    title: 'withheld content',
    step: {
      fault: {
        kind: 'answer',
        body: { id: 'r', status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output: [] },
      },
    },
    code: 'refused',
  },
  {
    title: 'an item without its required successor',
    step: {
      fault: {
        kind: 'answer',
        status: 400,
        body: { error: { message: "Item 'rs_1' was provided without its required following item." } },
      },
    },
    code: 'bad-request',
  },
  { title: 'HTML', step: { error: { code: 'malformed-reply' } }, code: 'malformed-reply' },
  { title: 'JSON of another kind', step: { fault: { kind: 'answer', body: { ok: true } } }, code: 'malformed-reply' },
];

describe('a failure of the Responses protocol:', () => {
  test.for(rows)('$title is $code', async ({ step, code, message }) => {
    await using server = await scriptedResponses([step]);
    const asked = modelAt(server).generate(userRequest('Hi'), { onDelta: () => undefined });
    await expect(asked).rejects.toMatchObject({ code, message: expect.stringMatching(message ?? /./) });
  });
});

test('a refusal is the text of the reply, and reasoning may be text', async () => {
  const refusal = { type: 'message', content: [{ type: 'refusal', refusal: 'I will not.' }] };
  const open = { type: 'reasoning', id: 'x', summary: [], content: [{ type: 'reasoning_text', text: 'No.' }] };
  await using server = await scriptedResponses([
    { fault: { kind: 'answer', body: { id: 'r', status: 'completed', output: [open, refusal] } } },
    streamed(
      { type: 'response.reasoning_text.delta', output_index: 0, delta: 'No.' },
      { type: 'response.refusal.delta', output_index: 1, delta: 'I will not.' },
      { type: 'response.completed', response: { id: 'r', status: 'completed', output: [open, refusal] } },
    ),
  ]);
  for (const options of [{}, { onDelta: () => undefined }]) {
    const { message, finish } = await modelAt(server).generate(userRequest('Hi'), options);
    expect([message.content, message.reasoning_content, finish]).toMatchObject([
      [{ text: 'I will not.' }],
      'No.',
      'stop',
    ]);
  }
});

test('a stream that stays open after its last event does not delay the reply', async () => {
  await using server = await scriptedResponses([{ text: 'Hello.', fault: { kind: 'hang', afterPieces: 5 } }]);
  const reply = await modelAt(server, { stream: true }).generate(userRequest('Hi'));
  expect(reply.finish).toBe('stop');
});

test('parameters, tools, images and instructions are in their fields', async () => {
  await using server = await scriptedResponses([{ text: 'Done.' }]);
  const image = { type: 'image', image_urls: ['data:image/png;base64,AA'], cache_prompt: false } as const;
  const system: Message = {
    role: 'system',
    content: [{ type: 'text', text: 'Be brief.', cache_prompt: true }],
    thinking_blocks: [],
  };
  const tool: Message = { role: 'tool', tool_call_id: 'a', content: [image], thinking_blocks: [] };
  const call: Message = {
    role: 'assistant',
    content: [],
    tool_calls: [{ id: 'a', name: 'see', arguments: '{}', origin: 'completion' }],
    thinking_blocks: [],
  };
  const empty: Message = { role: 'user', content: [], thinking_blocks: [] };
  await modelAt(server, { vision: true, reasoningSummary: 'auto', dialect: { cacheKey: true } }).generate({
    messages: [system, empty, call, tool, system],
    tools: [{ name: 'see', description: 'Looks.', parameters: { type: 'object', properties: {} } }],
    parameters: {
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 50,
      reasoningEffort: 'low',
      seed: 1,
      toolChoice: 'required',
    },
    cacheKey: 'c1',
  });
  expect(bodies(server)[0]).toEqual({
    model: 'm',
    instructions: 'Be brief.\n\n---\n\nBe brief.',
    tools: [
      {
        type: 'function',
        name: 'see',
        description: 'Looks.',
        parameters: { type: 'object', properties: {} },
        strict: false,
      },
    ],
    tool_choice: 'required',
    temperature: 0.5,
    top_p: 0.9,
    max_output_tokens: 50,
    reasoning: { effort: 'low', summary: 'auto' },
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'c1',
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: '' }] },
      { type: 'function_call', call_id: 'a', name: 'see', arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [{ type: 'input_image', image_url: 'data:image/png;base64,AA', detail: 'auto' }],
      },
    ],
  });
});

test('a note replaces images that the model cannot see', async () => {
  await using server = await scriptedResponses([{ text: 'Done.' }]);
  const image = { type: 'image', image_urls: ['data:a', 'data:b'], cache_prompt: false } as const;
  await modelAt(server).generate(
    userRequest('', { messages: [{ role: 'user', content: [image], thinking_blocks: [] }] }),
  );
  expect(JSON.stringify(bodies(server)[0]?.['input'])).toContain('(2 images left out: this model reads text only.)');
});
