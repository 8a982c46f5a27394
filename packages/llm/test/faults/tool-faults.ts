import assert from 'node:assert/strict';
import type { TextCallFormat } from '../../src/text-calls/formats/text-call-format.ts';
import { functionCalling } from '../../src/function-calling/function-calling.ts';
import { userRequest, type ScriptedStep } from '../../src/testing/index.ts';
import { failing, grep, withTools } from './answers.ts';
import type { FaultRow } from './fault-row.ts';

const many = Array.from({ length: 130 }, (_, index) => ({ ...grep, name: `grep_${index}` }));
const withMany = userRequest('Look', { tools: many });
const tooMany = failing(400, "Invalid 'tools': array too long. Expected an array with maximum length 128.");

/** Names that no provider takes as they are, one of which differs from another only behind what providers take. */
const names = ['files.read', `${'x'.repeat(69)}a`, `${'x'.repeat(69)}b`, 'größe', 'two words'];
const named = userRequest('Look', { tools: names.map((name) => ({ ...grep, name })) });

const callsAll: ScriptedStep = ({ tools }) => {
  for (const { name } of tools) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
  return { calls: tools.map(({ name }) => ({ name, arguments: '{}' })) };
};

const json = JSON.stringify({ name: 'grep', arguments: { pattern: 'x' } });
const leaks: Readonly<Record<TextCallFormat, string>> = {
  'function-tags': '<function=grep>\n<parameter=pattern>x</parameter>\n</function>',
  'tool-call-json': `<tool_call>\n${json}\n</tool_call>`,
  invoke: '<minimax:tool_call><invoke name="grep"><parameter name="pattern">x</parameter></invoke></minimax:tool_call>',
  'arg-pairs': '<tool_call>grep\n<arg_key>pattern</arg_key>\n<arg_value>x</arg_value>\n</tool_call>',
  json,
};

/** Calls in the special tokens of a model, which nobody reads from text. */
const unreadable = {
  DeepSeek: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>grep\n{"pattern":"x"}',
  Kimi: '<|tool_calls_section_begin|><|tool_call_begin|>functions.grep:0<|tool_call_argument_begin|>{"pattern":"x"}',
  'GPT-OSS': '<|channel|>commentary to=functions.grep <|message|>{"pattern":"x"}',
  Mistral: '[TOOL_CALLS]grep[ARGS]{"pattern":"x"}',
};

/** F52 and F56: tools that a server does not take as they are, and calls that it leaves in the text. */
export const toolFaults: readonly FaultRow[] = [
  {
    fault: 52,
    title: '130 tools that are too many are asked for with calls as text, and so from then on',
    wrap: functionCalling(),
    request: withMany,
    steps: [
      tooMany,
      { text: '<function=grep_129>\n<parameter=pattern>x</parameter>\n</function>' },
      { text: '<function=grep_129>\n<parameter=pattern>x</parameter>\n</function>' },
    ],
    asks: 2,
    reply: { calls: [['grep_129', '{"pattern":"x"}']], finish: 'tool-calls' },
    also: ({ bodies }) =>
      assert.deepEqual(
        bodies.map(({ tools }) => (tools as readonly unknown[] | undefined)?.length),
        [130, undefined, undefined],
      ),
  },
  {
    fault: 52,
    title: '130 tools that are too many are unsupported where calls may not be text',
    request: withMany,
    steps: [tooMany],
    failures: [['unsupported', /array too long/]],
  },
  {
    fault: 52,
    title: 'names that no provider takes travel under others, and come back as they are',
    request: named,
    steps: [callsAll],
    reply: { calls: names.map((name) => [name, '{}'] as const), finish: 'tool-calls' },
  },
  {
    fault: 52,
    title: 'such names travel under the same others in the history',
    request: userRequest('', {
      ...named,
      messages: [
        ...named.messages,
        {
          role: 'assistant',
          content: [],
          tool_calls: [{ id: 'one', name: 'files.read', arguments: '{}', origin: 'completion' }],
          thinking_blocks: [],
        },
        { role: 'tool', tool_call_id: 'one', name: 'files.read', content: [], thinking_blocks: [] },
      ],
    }),
    steps: [
      ({ tools, messages }) => {
        assert.equal(messages.at(-2)?.tool_calls?.[0]?.name, tools[0]?.name);
        return { text: 'Fine.' };
      },
    ],
    reply: { text: 'Fine.' },
    also: ({ bodies }) => assert.doesNotMatch(JSON.stringify(bodies), /files\.read/),
  },
  ...Object.entries(leaks).flatMap(([format, text]): readonly FaultRow[] => [
    {
      fault: 56,
      title: `a call left in the text as ${format} is read where that is read`,
      wrap: functionCalling({ textCallFormats: [format as TextCallFormat] }),
      request: withTools,
      steps: [{ text }],
      reply: { text: '', calls: [['grep', '{"pattern":"x"}']], finish: 'tool-calls' },
    },
    {
      fault: 56,
      title: `a call left in the text as ${format} is text and told where nothing is read`,
      wrap: functionCalling({ textCallFormats: [] }),
      request: withTools,
      steps: [{ text }],
      reply: { text, finish: 'unread-calls' },
    },
  ]),
  ...Object.entries(unreadable).map(([model, text]) => ({
    fault: 56,
    title: `a call left in the text in the tokens of ${model} is text and told`,
    wrap: functionCalling(),
    request: withTools,
    steps: [{ text }],
    reply: { text, finish: 'unread-calls' as const },
  })),
  {
    fault: 56,
    title: 'a call that is quoted as code is text',
    wrap: functionCalling(),
    request: withTools,
    steps: [{ text: `Write it so:\n\`\`\`\n${leaks['function-tags']}\n\`\`\`` }],
    reply: { text: `Write it so:\n\`\`\`\n${leaks['function-tags']}\n\`\`\``, finish: 'stop' },
  },
];
