import { textOf } from '@varve/events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { functionCalling, type FunctionCallingOptions } from '../../src/function-calling/function-calling.ts';
import type { ToolSpec } from '../../src/model-request.ts';
import { scriptedModel, userRequest } from '../../src/testing/index.ts';
import { awkwardPieces } from './any-calls.ts';
import { writtenForms, type WritableCall } from './written-calls.ts';

const act: ToolSpec = {
  name: 'act',
  description: 'Acts.',
  parameters: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      count: { type: 'integer' },
      flag: { type: 'boolean' },
      list: { type: 'array', items: { type: 'string' } },
      record: { type: 'object', additionalProperties: true },
      maybe: { type: ['string', 'null'] },
    },
  },
};
const look: ToolSpec = { ...act, name: 'look_up' };
const request = userRequest('Go', { tools: [act, look] });

/** Reads calls from the text of a reply. */
async function read(text: string, options: FunctionCallingOptions = {}) {
  const model = functionCalling(options)(scriptedModel([{ text }, { text }]));
  const reply = await model.generate(request);
  const calls = (reply.message.tool_calls ?? []).map(({ name, arguments: json }): WritableCall => ({
    name,
    arguments: JSON.parse(json) as WritableCall['arguments'],
  }));
  return { calls, reply, visible: textOf(reply.message.content) };
}

const plain: readonly WritableCall[] = [
  { name: 'act', arguments: { text: 'echo \'a b\' | grep "c" > d\nexit $?', count: -3, flag: false, maybe: null } },
  { name: 'look_up', arguments: { text: 'größe 😀 {x}', list: ['a', 'b c'], record: { a: [1, { b: 'c' }], d: true } } },
];

describe.for(writtenForms)('%s as %s', ([, , write]) => {
  test.for(['native', 'mock', 'auto'] as const)('is read with %s function calling', async (mode) => {
    const { calls, reply } = await read(write(plain), { mode, callsPerReply: 'many' });
    expect(calls).toEqual(plain);
    expect([reply.finish, reply.invalidCalls]).toEqual(['tool-calls', undefined]);
  });

  test('is read with mock calling, one call per reply, whether stop strings cut it or not', async () => {
    const [call] = plain.slice(-1);
    const written = write(plain.slice(-1));
    for (const prompted of [true, false]) {
      const inner = scriptedModel([{ text: written }], { prompted });
      const { message, finish } = await functionCalling({ mode: 'mock' })(inner).generate(request);
      expect([finish, message.tool_calls?.map(({ name }) => name)]).toEqual(['tool-calls', [call?.name]]);
      expect(JSON.parse(message.tool_calls?.[0]?.arguments ?? '')).toEqual(call?.arguments);
    }
  });

  test('is read after text, which stays', async () => {
    const { calls, visible } = await read(`I look.\n\n${write(plain)}\n`);
    expect([calls, visible]).toEqual([plain, 'I look.']);
  });

  test('is not read with a tool that is not offered, nor before other text', async () => {
    const other = plain.map((call) => ({ ...call, name: 'jump' }));
    expect((await read(write(other))).calls).toEqual([]);
    expect((await read(`${write(plain)}\n\nThat would do what was asked for here.`)).calls).toEqual([]);
  });

  test('is never the answer when it is not read', async () => {
    const { calls, reply } = await read(write(plain), { mode: 'native', textCallFormats: [] });
    expect([calls, reply.finish]).toEqual([[], 'unread-calls']);
    expect(reply.callForm).toMatch(/^<function=(?:act|look_up)>\n<parameter=text>/);
  });

  test('is never read as a call with other values', async () => {
    const text = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom(...awkwardPieces, ...signs), { maxLength: 6 })
        .map((pieces) => pieces.join(''))
        .filter((value) => !/^\n|\n$|^\r|\r$/.test(value)),
    );
    const call = fc.record(
      { text, count: fc.integer(), list: fc.array(text, { maxLength: 2 }), record: fc.dictionary(word, text) },
      { requiredKeys: ['text'] },
    );
    const made = call.map((args): readonly WritableCall[] => [{ name: 'act', arguments: args }]);
    await fc.assert(
      fc.asyncProperty(made, async (calls) => {
        const result = await read(write(calls), { mode: 'native' });
        if (result.calls.length === 0 || result.reply.invalidCalls) return;
        expect(result.calls).toEqual(JSON.parse(JSON.stringify(calls)));
      }),
      { numRuns: 60 },
    );
  });
});

const word = fc.stringMatching(/^[a-z]{1,8}$/);
/** Signs of the formats. */
const signs = [
  '<|"|>',
  '<escape>',
  '</arg_value>',
  '<arg_key>',
  '</parameter>\n<parameter name="text">',
  '</parameter>\n<parameter=count>',
  '</text>',
  '<count>',
  '</act>',
  '[TOOL_CALLS]',
  '[ARGS]{',
  '<|call|>',
  '<|message|>',
  '}}',
  '")',
  '```',
];

test.for([
  'look_up',
  'The tool `look_up` (see its help) searches; act {fast} when it finds something for you.',
  'Use `act(text="x")` in your own program, or write <act> in a template, as you like it best.',
  '```ts\nexport function act(text: string) {}\n```',
  '{"result": 3}',
  'Done.',
])('the answer %j is an answer', async (text) => {
  for (const mode of ['native', 'mock'] as const) {
    expect((await read(text, { mode })).reply.finish).toBe('stop');
  }
});

test.for([
  'act{text: "a"}',
  'act("a")',
  '{"tool": "act", "with": {"text": "a"}}',
  '<call tool="act" text="a"/>',
  '<act text="a"/>',
  '```\nact --text {a}\n```',
  'Call act {"text": "a',
  '{"action": "act", "action_input": "a"}',
])('%j is a call that nothing reads, and no answer', async (text) => {
  for (const mode of ['native', 'mock'] as const) {
    expect((await read(text, { mode })).reply).toMatchObject({ finish: 'unread-calls', callForm: expect.any(String) });
  }
});

test('ordinary code and inline tags are not calls of a model that has called natively', async () => {
  const called = {
    role: 'assistant',
    content: [],
    tool_calls: [{ id: 'chatcmpl-tool-1', name: 'act', arguments: '{}', origin: 'completion' }],
    thinking_blocks: [],
  } as const;
  const result = {
    role: 'tool',
    tool_call_id: 'chatcmpl-tool-1',
    name: 'act',
    content: [],
    thinking_blocks: [],
  } as const;
  const generate = (text: string) =>
    functionCalling({ mode: 'native' })(scriptedModel([{ text }])).generate({
      ...request,
      messages: [...request.messages, called, result],
    });
  const example = '{"name": "act", "arguments": {"text": "rm -rf /"}}';
  const quoted = await generate(`A call would be written as JSON, like this one:\n\`\`\`json\n${example}\n\`\`\``);
  expect([quoted.message.tool_calls, quoted.finish]).toEqual([undefined, 'stop']);
  const inline = await generate(`Models of that kind end their text with <tool_call>${example}</tool_call>`);
  expect(inline.message.tool_calls).toBeUndefined();
  const leaked = await generate(`I act.\n<tool_call>${example}</tool_call>`);
  expect(leaked.message.tool_calls).toHaveLength(1);
});
