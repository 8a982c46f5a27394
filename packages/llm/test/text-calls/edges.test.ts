import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import type { ToolSpec } from '../../src/model-request.ts';
import { userRequest, scriptedModel, type ScriptedTurn } from '../../src/testing/index.ts';
import type { MockNotice } from '../../src/text-calls/mock-notice.ts';
import {
  mockFunctionCalling,
  type MockFunctionCallingOptions,
} from '../../src/function-calling/mock-function-calling.ts';

const run: ToolSpec = {
  name: 'run',
  description: 'Runs.',
  parameters: {
    type: 'object',
    properties: {
      cmd: { type: 'string' },
      n: { type: 'integer' },
      items: { type: 'array', items: { type: 'string' } },
      flag: { type: 'boolean' },
      ratio: { type: 'number' },
      obj: { type: 'object' },
      mode: { type: 'string', enum: ['a', 'b'] },
      lvl: { type: 'integer', enum: [1, 2] },
      u: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      s: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      security_risk: { type: 'string', enum: ['LOW', 'HIGH'] },
    },
    required: ['cmd', 'security_risk'],
    additionalProperties: false,
  },
};
const ping: ToolSpec = { name: 'ping', description: '', parameters: {} };

/** Returns the text, the reasoning and the calls with arguments of a reply. */
async function read(turn: ScriptedTurn | string, options: MockFunctionCallingOptions = {}) {
  const notices: MockNotice[] = [];
  const step = typeof turn === 'string' ? { text: turn } : turn;
  // Twice, because a value without an end repeats the request.
  const steps = [step, step];
  const model = mockFunctionCalling({ callsPerReply: 'many', onNotice: (each) => notices.push(each), ...options })(
    scriptedModel(steps),
  );
  const { message, finish, invalidCalls } = await model.generate(userRequest('Go', { tools: [run, ping] }));
  const calls = (message.tool_calls ?? []).map(({ id, name, arguments: json }) => {
    const problem = invalidCalls?.[id];
    return problem === undefined ? [name, JSON.parse(json) as unknown] : [name, { problem }];
  });
  return { text: textOf(message.content), reasoning: message.reasoning_content, calls, finish, notices };
}

const ls = '<function=run>\n<parameter=cmd>ls</parameter>\n';
const called = [['run', { cmd: 'ls' }]];

test.for<readonly [string, string, { readonly text?: string; readonly calls: unknown }]>([
  ['1: prose and a closed call', `I look.\n\n${ls}</function>`, { text: 'I look.', calls: called }],
  ['2: a call without its closing tag', ls, { calls: called }],
  ['3: an end after </', `${ls}</`, { calls: called }],
  ['4: an end after </function', `${ls}</function`, { calls: called }],
  ['5: white space after the closing tag', `${ls}</function>  \n\n`, { calls: called }],
  ['6: no line feed after the name', '<function=run><parameter=cmd>ls</parameter></function>', { calls: called }],
  [
    '7: CRLF everywhere, kept within the value',
    '<function=run>\r\n<parameter=cmd>\r\na\r\nb\r\n</parameter>\r\n</function>\r\n',
    { calls: [['run', { cmd: 'a\r\nb' }]] },
  ],
  [
    '8: a value of several lines loses one line feed on each side',
    '<function=run>\n<parameter=cmd>\n    indented\n\nend\n\n</parameter>\n</function>',
    { calls: [['run', { cmd: '    indented\n\nend\n' }]] },
  ],
  [
    '9: indentation of a value on one line',
    '<function=run><parameter=cmd>  ls </parameter></function>',
    { calls: [['run', { cmd: '  ls ' }]] },
  ],
  [
    '11: two closed calls',
    `${ls}</function>\nand\n<function=ping></function>`,
    { text: 'and', calls: [...called, ['ping', {}]] },
  ],
  ['12: the first call is not closed', `${ls}<function=ping>\n</function>`, { calls: [...called, ['ping', {}]] }],
  [
    '12: the first value is not closed, but its call is',
    '<function=run>\n<parameter=cmd>ls\n</function>\n<function=run>\n<parameter=cmd>pwd</parameter>\n</function>',
    { calls: [...called, ['run', { cmd: 'pwd' }]] },
  ],
  ['13: the second call is not closed', `<function=ping></function>\n${ls}`, { calls: [['ping', {}], ...called] }],
  [
    '14: an unknown function is returned',
    '<function=jump>\n<parameter=high>1</parameter>\n</function>',
    { calls: [['jump', { high: 1 }]] },
  ],
  [
    '15: quotes and spaces around a name',
    '<function= "run" >\n<parameter= cmd >ls</parameter>\n</function>',
    { calls: called },
  ],
  ['17: a missing parameter is reported by the agent', '<function=run></function>', { calls: [['run', {}]] }],
  [
    '19: an unknown parameter names the known ones',
    '<function=run><parameter=comand>ls</parameter></function>',
    {
      calls: [
        [
          'run',
          {
            problem: expect.stringContaining(
              'run has no parameter comand. Its parameters are: cmd, n, items',
            ) as string,
          },
        ],
      ],
    },
  ],
  [
    '19: case and hyphens do not matter',
    '<function=run><parameter=Security-Risk>LOW</parameter></function>',
    { calls: [['run', { security_risk: 'LOW' }]] },
  ],
  [
    '20: a tool without a schema takes any value',
    '<function=ping><parameter=a>1</parameter></function>',
    { calls: [['ping', { a: 1 }]] },
  ],
  [
    '21: a value that the next parameter ends',
    '<function=run>\n<parameter=cmd>ls\n<parameter=n>1</parameter>\n</function>',
    { calls: [['run', { cmd: 'ls', n: 1 }]] },
  ],
  [
    '22: a value with </parameter>',
    '<function=run><parameter=cmd>use </parameter> well</parameter>\n</function>',
    { calls: [['run', { cmd: 'use </parameter> well' }]] },
  ],
  [
    '23: a value with </function>',
    '<function=run><parameter=cmd>a </function> b</parameter></function>',
    { calls: [['run', { cmd: 'a </function> b' }]] },
  ],
  [
    '24: a value with <function=',
    '<function=run><parameter=cmd>grep "<function=ping>" x</parameter></function>',
    { calls: [['run', { cmd: 'grep "<function=ping>" x' }]] },
  ],
  [
    '25: the same without a closing tag',
    '<function=run><parameter=cmd>grep "<function=ping>" x</parameter>',
    { calls: [['run', { cmd: 'grep "<function=ping>" x' }]] },
  ],
  [
    '26: entities',
    '<function=run><parameter=cmd>&lt;a&amp;</parameter></function>',
    { calls: [['run', { cmd: '&lt;a&amp;' }]] },
  ],
  ['27: an empty text', '<function=run><parameter=cmd></parameter></function>', { calls: [['run', { cmd: '' }]] }],
  ['29: a name and a value joined', '<function=run>\n<parameter=cmd=ls</parameter>\n</function>', { calls: called }],
  ['44: a wrapper', `<tool_call>\n${ls}</function>\n</tool_call>`, { calls: called }],
  ['44: a wrapper that is closed instead of the call', `<tool_call>${ls}</tool_call>`, { calls: called }],
  ['45: a fence with the call alone', `So:\n\`\`\`xml\n${ls}</function>\n\`\`\``, { text: 'So:', calls: called }],
  [
    '45: a fence with more',
    `\`\`\`\nExample:\n${ls}</function>\n\`\`\``,
    { text: `\`\`\`\nExample:\n${ls}</function>\n\`\`\``, calls: [] },
  ],
  [
    '45: a fence within a list',
    `1. So:\n\n    \`\`\`\n    Say\n    ${ls}</function>\n    \`\`\``,
    { text: `1. So:\n\n    \`\`\`\n    Say\n    ${ls}</function>\n    \`\`\``, calls: [] },
  ],
  [
    '45: a line that begins with code is not a fence',
    `\`\`\`ls\`\`\` it is:\n\`\`\`\n${ls}</function>\n\`\`\``,
    { text: '```ls``` it is:', calls: called },
  ],
  [
    '46: another format',
    '<invoke name="run"><parameter name="cmd">ls</parameter></invoke>',
    { text: '', calls: called },
  ],
  ['47: a tag within prose', 'Write `<function=run>` to run.', { text: 'Write `<function=run>` to run.', calls: [] }],
  [
    '47: prose that begins with a tag',
    '<function=run> is how it begins.',
    { text: '<function=run> is how it begins.', calls: [] },
  ],
  [
    '63: finish is a tool like any other',
    '<function=finish>\n<parameter=message>Done.</parameter>\n</function>',
    { calls: [['finish', { message: 'Done.' }]] },
  ],
  ['64: no call', 'All is well.\n', { text: 'All is well.\n', calls: [] }],
  [
    'a value in CDATA, and one that ends with its end',
    '<function=run><parameter=cmd><![CDATA[</parameter></function>]]]]><![CDATA[>]]></parameter></function>',
    { calls: [['run', { cmd: '</parameter></function>]]>' }]] },
  ],
  [
    'CDATA that holds its own end',
    '<function=run><parameter=cmd>\n<![CDATA[[[ a ]]> b]]>\n</parameter></function>',
    { calls: [['run', { cmd: '[[ a ]]> b' }]] },
  ],
])('%s', async ([, written, expected]) => {
  expect(await read(written)).toMatchObject({ text: '', ...expected });
});

test.for<readonly [string, string, unknown]>([
  ['30: an integer', 'n= 7 ', 7],
  ['30: a sign', 'n=+7', 7],
  ['30: an underscore', 'n=1_000', 'an integer'],
  ['31: a whole decimal', 'n=3.0', 3],
  ['31: a word', 'n=seven', 'an integer'],
  ['31: too large to be exact', 'n=9007199254740993', 'an integer'],
  ['27: nothing for an integer', 'n=', 'an integer'],
  ['27: nothing for null', 'u=', null],
  ['32: a list', 'items=["a", "b"]', ['a', 'b']],
  ['33: a bare number in a list of text', 'items=5', ['5']],
  ['33: a bare JSON string', 'items="x"', ['x']],
  ['33: an object for a list', 'items={"a":1}', 'a JSON list'],
  ['34: a trailing comma and single quotes', "items=['a', 'b',]", ['a', 'b']],
  ['35: true', 'flag=True', true],
  ['35: no', 'flag=no', false],
  ['35: neither', 'flag=maybe', 'true or false'],
  ['36: a number', 'ratio=0.5', 0.5],
  ['36: not finite', 'ratio=Infinity', 'a number'],
  ['37: an object', 'obj={"src":"cli"}', { src: 'cli' }],
  ['37: an object as Python writes it', "obj={'a': True, 'b': None}", { a: true, b: null }],
  ['37: a list for an object', 'obj=[1]', 'a JSON object'],
  ['38: a value that is not allowed is reported by the agent', 'mode=c', 'c'],
  ['39: an allowed word between line feeds', 'mode=\n  a\n  ', 'a'],
  ['40: an allowed integer', 'lvl=2', 2],
  ['41: null', 'u=null', null],
  ['41: an integer or null', 'u=12', 12],
  ['41: nothing, where text may be', 's=', ''],
  ['41: null, where text may be', 's=null', null],
  ['41: a word that is not JSON, where text may be', 's=None', 'None'],
  ['37: an object that is nested too deep', `obj=${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`, 'a JSON object'],
  ['34: a long list in single quotes', `items=[${"'a',".repeat(600)}]`, Array.from({ length: 600 }, () => 'a')],
  ['34: a missing item', 'items=["a",,"b"]', 'a JSON list'],
  ['36: more digits than a number has', 'ratio=12345678901234567890', 'a number'],
  ['37: a backslash with two meanings', String.raw`obj={"a": "\d\n"}`, 'a JSON object'],
  ['41: neither integer nor null', 'u=x', 'an integer or null'],
])('%s', async ([, assignment, expected]) => {
  const [name = '', value = ''] = assignment.split(/=(.*)/s);
  const { calls } = await read(`<function=run>\n<parameter=${name}>${value}</parameter>\n</function>`);
  const isProblem = typeof expected === 'string' && expected.includes(' ');
  const problem = `The parameter ${name} of run must be ${String(expected)}.`;
  expect(calls).toEqual([['run', isProblem ? { problem } : { [name]: expected }]]);
});

test('10: text after the call is dropped and reported', async () => {
  const { text, notices } = await read(`First.\n${ls}</function>\nThen I wait.`);
  expect([text, notices]).toEqual(['First.', [{ kind: 'dropped-text', chars: 12 }]]);
});

test('11: one call per reply by default', async () => {
  const { calls, notices } = await read(`${ls}</function><function=ping></function>`, { callsPerReply: 'one' });
  expect(calls).toEqual(called);
  expect(notices).toEqual([{ kind: 'dropped-text', chars: 26 }]);
});

test('a result invented by the model ends the reply', async () => {
  const made = `${ls}</function>\n\nEXECUTION RESULT of [run]:\nok\n\n<function=ping>\n</function>`;
  expect((await read(made)).calls).toEqual(called);
});

test('28: a parameter that is written twice is refused', async () => {
  const { calls } = await read(`${ls}<parameter=cmd>pwd</parameter></function>`);
  expect(calls).toEqual([['run', { problem: 'The parameter cmd of run is written twice.' }]]);
});

test('an unknown parameter ends the value before it, and is refused', async () => {
  const { calls } = await read(`${ls}<parameter=note>List</parameter></function>`);
  expect(calls).toEqual([
    ['run', { problem: expect.stringMatching(/^run has no parameter note\. Its parameters are: cmd/) }],
  ]);
});

test.for([
  ['42: thinking before the call', `<think>short plan</think>\n${ls}</function>`],
  ['42: thinking whose opening tag was not sent', `short plan\n</think>\n\n${ls}</function>`],
  ['E4: thinking and a wrapper', `<think>short plan</think>\n<tool_call>\n${ls}</function>\n</tool_call>`],
])('%s', async ([, written = '']) => {
  expect(await read(written)).toMatchObject({ reasoning: 'short plan', text: '', calls: called });
});

test('43: a call within thinking counts only without other text', async () => {
  const inside = `<think>Now\n${ls}</function></think>`;
  expect(await read(inside)).toMatchObject({ calls: called, notices: [{ kind: 'call-in-reasoning' }] });
  expect(await read(`${inside}\nNo, I wait.`)).toMatchObject({ text: 'No, I wait.', calls: [] });
  expect(await read({ reasoning: `So:\n${ls}`, text: '' })).toMatchObject({ calls: called });
});

const considered = `I could\n<function=run>\n<parameter=cmd>rm -rf x</parameter>\n</function>\nbut no.`;

test.for([
  ['after text', `Sure.\n<think>\n${considered}\n</think>\n${ls}</function>`, 'Sure.'],
  ['twice', `<think>${considered}</think>\nSure.\n<think>So.</think>\n${ls}</function>`, 'Sure.'],
  ['in the other spelling', `<thinking>${considered}</thinking>\n${ls}</function>`, ''],
  ['without its beginning', `${considered}\n</think>\n\nSure.\n${ls}</function>`, 'Sure.'],
])('42: a call that was only thought of is not made: thinking %s', async ([, written = '', text]) => {
  expect(await read(written)).toMatchObject({
    text,
    calls: called,
    reasoning: expect.stringContaining('but no.') as string,
  });
});

test('43: the request is repeated when a stop string cut thinking at a call in it', async () => {
  for (const begin of ['<think>', 'Sure.\n<think>']) {
    const steps = [1, 2].map(() => ({ text: `${begin}${considered}</think>\n${ls}</function>` }));
    const model = mockFunctionCalling()(scriptedModel(steps, { prompted: true }));
    const { message } = await model.generate(userRequest('Go', { tools: [run, ping] }));
    expect(message.tool_calls?.map((call) => call.arguments)).toEqual(['{"cmd":"ls"}']);
  }
});

test('43: thinking cut by the output limit contains no call', async () => {
  const { calls } = await read({
    text: `<think>${considered}\nOr\n<function=ping>\n</function>\nor`,
    finish: 'length',
  });
  expect(calls).toEqual([]);
});

test('thinking after a call ends the reply, and lines of a value are not thinking', async () => {
  const after = `${ls}</function>\n<think>${considered}</think>\n<function=ping>\n</function>`;
  expect(await read(after)).toMatchObject({ calls: called, text: '' });
  const cmd = "cat > a <<'END'\n<think>\na\n</think>\nEND";
  const value = `<function=ping>\n</function>\n<function=run>\n<parameter=cmd>\n${cmd}\n</parameter>\n</function>`;
  expect((await read(value)).calls).toEqual([
    ['ping', {}],
    ['run', { cmd }],
  ]);
});

test('70: a reply cut within a value ends with length and a call that must not be run', async () => {
  const cut = await read({ text: '<function=run>\n<parameter=cmd>rm -rf /tmp/x', finish: 'length' });
  expect(cut).toMatchObject({
    finish: 'length',
    calls: [['run', { problem: expect.stringContaining('cmd') as string }]],
  });
});

const example = '<function=run>\n<parameter=cmd>rm -rf x</parameter>\n</function>';

test.for([
  ['on lines of its own', `cat > a.md <<'END'\n${example}\nEND`],
  ['of another tool', `cat > a.md <<'END'\n<function=jump>\n<parameter=a>1</parameter>\n</function>\nEND`],
  ['within a line', 'echo "<function=a><parameter=b>c</parameter></function>" > x'],
  ['in another format', `cat > a.xml <<'END'\n<function name="f">\n<parameter>a</parameter>\n</function>\nEND`],
  ['of which only the beginning is written', 'echo "usage: a <parameter> b"; echo "<parameter=c>"'],
  ['without parameters', "cat > a.md <<'END'\n<function=ping>\n</function>\nEND"],
])('a value holds a call %s, whether stop strings cut it or not', async ([, command = '']) => {
  const written = `<function=run>\n<parameter=cmd>\n${command}\n</parameter>\n</function>`;
  const whole = [['run', { cmd: command }]];
  expect((await read(written)).calls).toEqual(whole);
  const steps = [1, 2].map(() => ({ text: written }));
  const { message } = await mockFunctionCalling()(scriptedModel(steps, { prompted: true })).generate(
    userRequest('Go', { tools: [run, ping] }),
  );
  expect(message.tool_calls?.map(({ name, arguments: json }) => [name, JSON.parse(json) as unknown])).toEqual(whole);
});

test.for([
  ['text after its end', '<function=run><parameter=cmd>ls</parameter> and then rm </function>'],
  [
    'text between parameters',
    '<function=run>\n<parameter=cmd>ls</parameter>\nand so\n<parameter=n>1</parameter>\n</function>',
  ],
  ['a call in it that has no end either', '<function=run>\n<parameter=cmd>ls\n<function=ping>\n</function>'],
  ['an incomplete example', '<function=run>\n<parameter=cmd>echo "<parameter=n>"</parameter>'],
  ['two ends', `${ls}</parameter>\n</function>`],
  ['an end without an angle', '<function=run>\n<parameter=cmd>ls</parameter\n</function>'],
  ['its name as its end', '<function=run>\n<parameter=cmd>ls</cmd>\n<parameter=n>1</parameter>\n</function>'],
  ['the end of a call in the middle of its only line', "<function=run>\n<parameter=cmd>echo '</function>' > x; rm y"],
  [
    'a parameter in it that would begin the next',
    '<function=run>\n<parameter=cmd>cat <<END\n<parameter=n>1</parameter>\nEND\n</parameter>\n</function>',
  ],
  [
    'a section in a section',
    `<function=run>\n<parameter=cmd><![CDATA[echo "<parameter=n><![CDATA[1]]></parameter>"]]></parameter>\n</function>`,
  ],
])('an ambiguous end of a value is not guessed: %s', async ([, written = '']) => {
  const { calls } = await read(written, { callsPerReply: 'one' });
  expect(calls).toEqual([['run', { problem: expect.stringContaining('is ambiguous') as string }]]);
});
