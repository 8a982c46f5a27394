import { textOf } from '@varve/events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Delta } from '../delta.ts';
import type { LlmError } from '../error.ts';
import { functionCalling, type FunctionCallingOptions, type TextCallNotice } from './function-calling.ts';
import type { ToolSpec } from '../model-request.ts';
import { openaiChat } from '../chat/openai-chat.ts';
import { userRequest, scriptedModel, scriptedServer, type ScriptedStep } from '../testing/index.ts';
import { textCallFormats, type TextCallFormat } from '../text-calls/formats/readers.ts';
import { maxSearched } from '../text-calls/max-searched.ts';

const grep: ToolSpec = {
  name: 'grep',
  description: 'Searches.',
  parameters: {
    type: 'object',
    properties: { pattern: { type: 'string' }, depth: { type: 'integer' } },
    required: ['pattern'],
  },
};
const dotted: ToolSpec = { name: 'files.read', description: '', parameters: { type: 'object', properties: {} } };
const request = userRequest('Go', { tools: [grep, dotted] });

/** Returns the streamed result for a reply of a native model. */
async function read(step: ScriptedStep | string, options: FunctionCallingOptions = {}) {
  const deltas: Delta[] = [];
  const inner = scriptedModel([typeof step === 'string' ? { text: step } : step]);
  const reply = await functionCalling({ mode: 'native', ...options })(inner).generate(request, {
    onDelta: (delta) => deltas.push(delta),
  });
  const calls = (reply.message.tool_calls ?? []).map(({ name, arguments: json }) => [
    name,
    JSON.parse(json) as unknown,
  ]);
  return { reply, visible: textOf(reply.message.content), calls, deltas, isUnread: reply.finish === 'unread-calls' };
}

const args = { pattern: 'a </parameter> b\n"c"', depth: 3 };
const json = JSON.stringify({ name: 'grep', arguments: args });

const written = {
  'function-tags': [
    '<function=grep>\n<parameter=pattern>\na </parameter> b\n"c"\n</parameter>\n<parameter=depth>3</parameter>\n</function>',
    '<tool_call>\n<function=grep>\n<parameter=pattern>\na </parameter> b\n"c"\n</parameter>\n<parameter=depth>3</parameter>\n</function>\n</tool_call>',
  ],
  'tool-call-json': [
    `<tool_call>\n${json}\n</tool_call>`,
    `<tool_call>${json}`,
    `<tool_call>${JSON.stringify({ name: 'grep', arguments: JSON.stringify(args) })}</tool_call>\n`,
    `<tool_call>${JSON.stringify({ name: 'functions.grep', parameters: args })}</tool_call>`,
  ],
  invoke: [
    '<invoke name="grep"><parameter name="pattern">a </parameter> b\n"c"</parameter><parameter name="depth">3</parameter></invoke>',
    '<minimax:tool_call>\n<invoke name="grep">\n<parameter name="pattern">a </parameter> b\n"c"</parameter>\n<parameter name="depth">3</parameter>\n</invoke>\n</minimax:tool_call>',
    '<｜DSML｜function_calls><｜DSML｜invoke name="grep"><｜DSML｜parameter name="pattern" string="true">a </parameter> b\n"c"</｜DSML｜parameter><｜DSML｜parameter name="depth" string="false">3</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>',
  ],
  'arg-pairs': [
    '<tool_call>grep\n<arg_key>pattern</arg_key>\n<arg_value>a </parameter> b\n"c"</arg_value>\n<arg_key>depth</arg_key>\n<arg_value>3</arg_value>\n</tool_call>',
  ],
  json: [json, `\`\`\`json\n${JSON.stringify({ name: 'grep', arguments: args }, null, 2)}\n\`\`\``],
} satisfies Partial<Record<TextCallFormat, readonly string[]>>;
const rows = Object.entries(written).flatMap(([format, texts]) =>
  texts.map((text, index) => [format as TextCallFormat, index, text] as const),
);

describe('a call in the text of a native reply', () => {
  test.for(rows)('is read: %s, form %i', async ([format, , text]) => {
    const notices: TextCallNotice[] = [];
    const alone = await read(text, { textCallFormats: [format], onTextCalls: (notice) => notices.push(notice) });
    expect([alone.calls, alone.visible, alone.reply.finish]).toEqual([[['grep', args]], '', 'tool-calls']);
    expect(notices).toEqual([{ format }]);
    const all = await read(text, { textCallFormats });
    expect(all.calls).toEqual([['grep', args]]);
  });

  test.for(rows)('is reported when its format is not read: %s, form %i', async ([, , text]) => {
    const { calls, visible, reply } = await read(`I look.\n\n${text}`, { textCallFormats: [] });
    const isCode = text.startsWith('```');
    expect([calls, visible, reply.finish]).toEqual([[], `I look.\n\n${text}`, isCode ? 'stop' : 'unread-calls']);
  });

  test('keeps the text before it, in the message and in the stream', async () => {
    const { visible, deltas } = await read(`I look.\n\n<tool_call>${json}</tool_call>`);
    expect(visible).toBe('I look.');
    const text = deltas.map((delta) => (delta.kind === 'text' ? delta.text : '')).join('');
    expect(text).toBe('I look.');
    expect(deltas.at(-1)).toEqual({ kind: 'tool-call', index: 0, name: 'grep', arguments: JSON.stringify(args) });
    expect(deltas.some(({ kind }) => kind === 'reset')).toBe(false);
  });

  test('is not searched for in a text or in thoughts of more than a million characters', async () => {
    const text = `${'x'.repeat(maxSearched)}\n<tool_call>${json}</tool_call>`;
    const longer = await read(text);
    expect([longer.calls, longer.isUnread, longer.visible.length]).toEqual([[], false, text.length]);
    expect((await read({ text: '', reasoning: text })).isUnread).toBe(false);
    expect((await read({ text: '', reasoning: text.slice(text.indexOf('<')) })).isUnread).toBe(true);
  });

  test('may be one of several', async () => {
    const two = `<tool_call>${json}</tool_call>\n<tool_call>{"name":"files.read","arguments":{}}</tool_call>`;
    const { calls, reply } = await read(two);
    expect(calls).toEqual([
      ['grep', args],
      ['files.read', {}],
    ]);
    expect(new Set(reply.message.tool_calls?.map(({ id }) => id)).size).toBe(2);
  });

  test('of a tool that is sent under another name gets its own name back', async () => {
    await using server = await scriptedServer([
      ({ tools }) => ({ text: `<tool_call>{"name":"${tools[1]?.name}","arguments":{}}</tool_call>` }),
    ]);
    const model = functionCalling({ mode: 'native' })(openaiChat({ model: 'm', baseUrl: server.url }));
    const { message } = await model.generate(request);
    expect(message.tool_calls?.map(({ name }) => name)).toEqual(['files.read']);
  });

  test('with a value of the wrong type must not be run, and has a reason', async () => {
    const { reply } = await read('<function=grep>\n<parameter=depth>deep</parameter>\n</function>');
    expect(Object.values(reply.invalidCalls ?? {})).toEqual(['The parameter depth of grep must be an integer.']);
  });
});

test.for([
  ['alone in a fence at the end', `Like this:\n\`\`\`\n${written['function-tags'][0]}\n\`\`\``],
  ['in a fence that has no end', `Like this:\n\`\`\`\n${written['function-tags'][0]}`],
  ['in a fence of tildes', `Like this:\n~~~\n${written.invoke[0]}\n~~~`],
  ['in a fence', `Like this:\n\`\`\`\n<tool_call>${json}</tool_call>\n\`\`\`\nDone.`],
  ['in quoted lines', `The file says:\n\n> <tool_call>${json}</tool_call>`],
  ['in inline code', 'Write `<tool_call>{"name":"grep","arguments":{}}</tool_call>`.'],
  ['that names no tool', '<tool_call>{"name":"jump","arguments":{}}</tool_call>'],
  ['as a tag without a call', 'Models close it with <tool_call>.'],
])('markup %s is text', async ([, text = '']) => {
  const { calls, visible, isUnread } = await read(text, { textCallFormats });
  expect([calls, visible, isUnread]).toEqual([[], text, false]);
});

test.for<readonly [string, ScriptedStep]>([
  ['it is alone in a fence', { text: `\`\`\`xml\n${written['function-tags'][1]}\n\`\`\`` }],
  ['text follows it', { text: `<tool_call>${json}</tool_call>\nThat would search.` }],
  ['its JSON is broken', { text: '<tool_call>{"name":"grep","arguments":{"pattern":}}</tool_call>' }],
  ['its JSON has no end', { text: '<tool_call>{"name":"grep","arguments":{"pattern":"a' }],
  ['its value has no end', { text: '<function=grep>\n<parameter=pattern>a' }],
  ['another call names no tool', { text: `<tool_call>${json}</tool_call><tool_call>{"name":"x","arguments":{}}` }],
  ['it is in the reasoning', { text: '', reasoning: `<tool_call>${json}</tool_call>` }],
  ['DeepSeek wrote it', { text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>grep\n{}' }],
  ['Kimi wrote it', { text: '<|tool_calls_section_begin|><|tool_call_begin|>functions.grep:0 {}' }],
  ['GPT-OSS wrote it', { text: '<|channel|>commentary to=functions.grep <|message|>{}' }],
  ['Mistral wrote it', { text: '[TOOL_CALLS]grep[ARGS]{}' }],
])('a call is reported and not run when %s', async ([, step]) => {
  const { calls, isUnread, deltas, visible } = await read(step, {
    textCallFormats: ['function-tags', 'tool-call-json'],
  });
  expect([calls, isUnread]).toEqual([[], true]);
  expect(deltas.map((delta) => (delta.kind === 'text' ? delta.text : '')).join('')).toBe(visible);
});

test('a reply cut by the output limit has no calls, even if they look complete', async () => {
  const { calls, reply } = await read({ text: `<tool_call>${json}</tool_call>`, finish: 'length' });
  expect([calls, reply.finish]).toEqual([[], 'length']);
});

test('native calls take precedence over calls in the text', async () => {
  const text = `<tool_call>${json}</tool_call>`;
  const { calls, visible } = await read({ text, calls: [{ name: 'files.read', arguments: {} }] });
  expect([calls, visible]).toEqual([[['files.read', {}]], text]);
});

test.for([{ tools: [] }, { parameters: { toolChoice: 'none' } }] as const)(
  'a request without calls returns the text unchanged: %o',
  async (fields) => {
    const inner = scriptedModel([{ text: `<tool_call>${json}</tool_call>` }]);
    const reply = await functionCalling()(inner).generate({ ...request, ...fields });
    expect(reply.finish).toBe('stop');
  },
);

/** Returns the number of tools sent with each request, and the causes of switches. */
async function offeredBy(steps: readonly ScriptedStep[], options: FunctionCallingOptions = {}) {
  const switches: LlmError[] = [];
  const inner = scriptedModel(steps);
  const model = functionCalling({ onSwitch: (error) => switches.push(error), ...options })(inner);
  while (inner.requests.length < steps.length) await model.generate(request);
  return { offered: inner.requests.map((each) => each.tools.length), codes: switches.map(({ code }) => code) };
}

describe('auto switches to mock function calling', () => {
  const leaking = { text: '<｜tool▁calls▁begin｜>grep' };
  const asText = { text: '<function=grep>\n<parameter=pattern>x</parameter>\n</function>' };
  const native = { calls: [{ name: 'grep', arguments: { pattern: 'x' } }] };

  test('after two such consecutive replies, and reports it once', async () => {
    const { offered, codes } = await offeredBy([leaking, leaking, asText, asText]);
    expect([offered, codes]).toEqual([[2, 2, 0, 0], ['unsupported']]);
  });

  test('even when they were read', async () => {
    expect((await offeredBy([asText, asText, asText])).offered).toEqual([2, 2, 0]);
  });

  test('not after one, whatever preceded it', async () => {
    expect((await offeredBy([leaking, native, leaking, native])).offered).toEqual([2, 2, 2, 2]);
  });

  test('not in native mode', async () => {
    expect((await offeredBy([leaking, leaking, leaking], { mode: 'native' })).offered).toEqual([2, 2, 2]);
  });
});

test('the deltas of any reply add up to it', async () => {
  const parts = fc.constantFrom(
    '<tool_call>',
    json,
    '</tool_call>',
    '<function=grep>',
    '</function>',
    '<f',
    '\n',
    ' ',
    'a',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(parts, { maxLength: 8 }), async (all) => {
      const text = `.${all.join('')}`;
      const { deltas, visible } = await read(text, { textCallFormats });
      const from = deltas.findLastIndex(({ kind }) => kind === 'reset') + 1;
      const texts = deltas.slice(from).map((delta) => (delta.kind === 'text' ? delta.text : ''));
      expect(texts.join('')).toBe(visible);
    }),
    { numRuns: 300 },
  );
});

/** Length of a text that would take minutes in more than linear time. */
test.for([
  '<tool_call>',
  '<tool_call>{',
  '<tool_call>{"',
  `<tool_call>{"name":"grep","arguments":{"a":"${'\\'.repeat(3)}"`,
  '<invoke name="grep"><parameter name="a">',
  '<invoke name="grep"><parameter name="a"></parameter>',
  '<tool_call>grep<arg_key>a</arg_key><arg_value></arg_value>',
  '```\n',
  '`',
  ' \n\n\n',
  '<function=grep>',
  '\n<function=grep>\n<parameter=pattern>',
])('a long text of %s is read in its time', async (piece) => {
  const inner = scriptedModel([{ text: `.${piece.repeat(Math.ceil(200_000 / piece.length))}.` }]);
  const model = functionCalling({ mode: 'native', textCallFormats })(inner);
  const reply = await model.generate(request, { onDelta: () => undefined });
  expect(reply.finish).toMatch(/stop|calls/);
});
