import assert from 'node:assert/strict';
import type { TextCallFormat } from '../../src/text-calls/formats/readers.ts';
import { functionCalling } from '../../src/function-calling/function-calling.ts';
import { userRequest, type ScriptedStep } from '../../src/testing/index.ts';
import { failing, grep, withTools } from './answers.ts';
import type { FaultRow } from './fault-row.ts';

const many = Array.from({ length: 130 }, (_, index) => ({ ...grep, name: `grep_${index}` }));
const withMany = userRequest('Look', { tools: many });
const tooMany = failing(400, "Invalid 'tools': array too long. Expected an array with maximum length 128.");

/** Names that every provider rejects; two differ only after the maximum length. */
const names = ['files.read', `${'x'.repeat(69)}a`, `${'x'.repeat(69)}b`, 'größe', 'two words'];
const named = userRequest('Look', { tools: names.map((name) => ({ ...grep, name })) });

const callsAll: ScriptedStep = ({ tools }) => {
  for (const { name } of tools) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
  return { calls: tools.map(({ name }) => ({ name, arguments: '{}' })) };
};

const json = JSON.stringify({ name: 'grep', arguments: { pattern: 'x' } });
const textCalls = {
  'function-tags': '<function=grep>\n<parameter=pattern>x</parameter>\n</function>',
  'tool-call-json': `<tool_call>\n${json}\n</tool_call>`,
  invoke: '<minimax:tool_call><invoke name="grep"><parameter name="pattern">x</parameter></invoke></minimax:tool_call>',
  'arg-pairs': '<tool_call>grep\n<arg_key>pattern</arg_key>\n<arg_value>x</arg_value>\n</tool_call>',
  deepseek: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>grep\n{"pattern":"x"}',
  kimi: '<|tool_calls_section_begin|><|tool_call_begin|>functions.grep:0<|tool_call_argument_begin|>{"pattern":"x"}',
  channels: '<|channel|>commentary to=functions.grep <|message|>{"pattern":"x"}',
  mistral: '[TOOL_CALLS]grep[ARGS]{"pattern":"x"}',
  json,
} satisfies Partial<Record<TextCallFormat, string>>;

/** Calls that no format describes. */
const unreadable = {
  attributes: '<call tool="grep" pattern="x"/>',
  'a cut text': '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>grep\n{"pattern":"x',
  words: 'grep{pattern: x}',
};

/** F52 and F56: tools that a server rejects, and calls that it leaves in the text. */
export const toolFaults: readonly FaultRow[] = [
  {
    fault: 52,
    title: 'a request with too many tools is retried with calls as text, which later requests use',
    wrap: functionCalling(),
    request: withMany,
    steps: [
      tooMany,
      { text: '<function=grep_129>\n<parameter=pattern>x</parameter>\n</function>' },
      { text: '<function=grep_129>\n<parameter=pattern>x</parameter>\n</function>' },
    ],
    repeats: 2,
    reply: { calls: [['grep_129', '{"pattern":"x"}']], finish: 'tool-calls' },
    also: ({ bodies }) =>
      assert.deepEqual(
        bodies.map(({ tools }) => (tools as readonly unknown[] | undefined)?.length),
        [130, undefined, undefined],
      ),
  },
  {
    fault: 52,
    title: 'too many tools are unsupported without mock function calling',
    request: withMany,
    steps: [tooMany],
    failures: [['unsupported', /array too long/]],
  },
  {
    fault: 52,
    title: 'names that providers reject are sent under other names, and replies contain the original names',
    request: named,
    steps: [callsAll],
    reply: { calls: names.map((name) => [name, '{}'] as const), finish: 'tool-calls' },
  },
  {
    fault: 52,
    title: 'such names are sent under the same other names in the history',
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
  ...Object.entries(textCalls).flatMap(([format, text]): readonly FaultRow[] => [
    {
      fault: 56,
      title: `a call in the text as ${format} is read when its format is enabled`,
      wrap: functionCalling({ textCallFormats: [format as TextCallFormat] }),
      request: withTools,
      steps: [{ text }],
      reply: { text: '', calls: [['grep', '{"pattern":"x"}']], finish: 'tool-calls' },
    },
    {
      fault: 56,
      title: `a call in the text as ${format} is text with the finish reason unread-calls when no format is enabled`,
      wrap: functionCalling({ textCallFormats: [] }),
      request: withTools,
      steps: [{ text }],
      reply: { text, finish: 'unread-calls' },
    },
  ]),
  ...Object.entries(unreadable).map(([model, text]) => ({
    fault: 56,
    title: `a call in the text as ${model} is text with the finish reason unread-calls`,
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
    steps: [{ text: `Write it so:\n\`\`\`\n${textCalls['function-tags']}\n\`\`\`` }],
    reply: { text: `Write it so:\n\`\`\`\n${textCalls['function-tags']}\n\`\`\``, finish: 'stop' },
  },
];
