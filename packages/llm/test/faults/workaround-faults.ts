import assert from 'node:assert/strict';
import { text, type Message } from '@varve/events';
import { checkMessages } from '@varve/events/projections';
import { functionCalling } from '../../src/function-calling/function-calling.ts';
import { userRequest, type ScriptedStep } from '../../src/testing/index.ts';
import { failing, fine, withTools } from './answers.ts';
import type { FaultScenario, FaultRow, Outcome } from './fault-row.ts';
import { modelAt, serve } from './run-fault.ts';

const noLimit = failing(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.");
const withLimit = userRequest('Hi', { parameters: { maxOutputTokens: 9 } });
const brokenHistory = failing(
  400,
  'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: call_a',
);

const call = (id: string) => ({ id, name: 'grep', arguments: '{}', origin: 'completion' as const });
const toolMessage: Message = {
  role: 'tool',
  tool_call_id: 'call_b',
  name: 'grep',
  content: [text('b')],
  thinking_blocks: [],
};
const ask = userRequest('Look').messages;

/** A history whose first call has no result and whose last result has no call. */
const unpaired = [
  ...ask,
  { role: 'assistant', content: [], tool_calls: [call('call_a'), call('call_b')], thinking_blocks: [] },
  ...userRequest('And?').messages,
  toolMessage,
  { ...toolMessage, tool_call_id: 'call_z' },
] as const;

const withEncryptedReasoning = (origin: string): Message => ({
  role: 'assistant',
  content: [text('Hm.')],
  thinking_blocks: [],
  extra: { origin, reasoning_details: [{ type: 'reasoning.text', text: 'Hm', signature: 'bad' }] },
  responses_reasoning_item: { summary: [], encrypted_content: 'bad' },
});

const valid: ScriptedStep = ({ messages }) => {
  assert.deepEqual(checkMessages(messages), []);
  return { text: 'Fine.' };
};

function fields({ bodies }: Outcome, name: string): readonly unknown[] {
  return bodies.map((body) => body[name]);
}

const rejectsTools = failing(400, 'gemma does not support tools');
const written = { text: 'Looking.\n\n<function=grep>\n<parameter=pattern>x</parameter>\n</function>' };

/** F17 to F25: requests that a server rejects with a reason. */
export const workaroundFaults: readonly (FaultRow | FaultScenario)[] = [
  {
    fault: 17,
    title: '400 for max_tokens is retried with the other name, which later requests use',
    protocols: ['chat'],
    request: withLimit,
    steps: [noLimit, fine, fine],
    repeats: 2,
    reply: { text: 'Fine.' },
    also: (seen) =>
      assert.deepEqual(
        [fields(seen, 'max_tokens'), fields(seen, 'max_completion_tokens'), seen.replies.map((each) => each.attempts)],
        [
          [9, undefined, undefined],
          [undefined, 9, 9],
          [2, 1],
        ],
      ),
  },
  {
    fault: 18,
    title: '400 for tools is retried with calls as text, which later requests use',
    async run(variant) {
      await using server = await serve(variant, [rejectsTools, written, written]);
      const switches: string[] = [];
      const wrap = functionCalling({ onSwitch: ({ code }) => switches.push(code) });
      const model = wrap(modelAt(variant, server));
      for (const attempt of ['first', 'second']) {
        const { message, finish } = await model.generate(withTools);
        const calls = message.tool_calls?.map(({ name, arguments: json }) => [name, json]);
        assert.deepEqual([calls, finish], [[['grep', '{"pattern":"x"}']], 'tool-calls'], attempt);
      }
      server.assertDone();
      assert.deepEqual(switches, ['unsupported']);
      assert.deepEqual(
        server.requests.map(({ request }) => request?.tools.length),
        [1, 0, 0],
      );
    },
  },
  {
    fault: 18,
    title: '400 for tools is unsupported without mock function calling',
    request: withTools,
    steps: [rejectsTools],
    failures: [['unsupported', /does not support tools$/]],
  },
  {
    fault: 19,
    title: '400 for stream_options is retried without them, and usage is absent',
    protocols: ['chat'],
    modes: ['streamed'],
    steps: [failing(400, 'stream_options: Extra inputs are not permitted'), fine, fine],
    repeats: 2,
    reply: { text: 'Fine.', usage: 'absent' },
    also: (seen) => assert.deepEqual(fields(seen, 'stream_options'), [{ include_usage: true }, undefined, undefined]),
  },
  {
    fault: 20,
    title: '400 for temperature and then for top_p is retried without both',
    request: userRequest('Hi', { parameters: { temperature: 0, topP: 0.5 } }),
    steps: [failing(400, "Unsupported parameter: 'temperature'"), failing(400, "Unsupported parameter: 'top_p'"), fine],
    reply: { text: 'Fine.' },
    also: (seen) =>
      assert.deepEqual(
        [fields(seen, 'temperature'), fields(seen, 'top_p')],
        [
          [0, undefined, undefined],
          [0.5, 0.5, undefined],
        ],
      ),
  },
  {
    fault: 21,
    title: '400 for the same parameter twice is the failure',
    request: withLimit,
    steps: [noLimit, noLimit],
    failures: [['unsupported', /answered 400: Unsupported parameter/]],
  },
  {
    fault: 22,
    title: '400 for a call without its result is retried with a result for every call',
    request: userRequest('', { messages: unpaired }),
    steps: [brokenHistory, valid],
    reply: { text: 'Fine.' },
  },
  {
    fault: 22,
    title: 'a second 400 for it is the failure',
    request: userRequest('', { messages: unpaired }),
    steps: [brokenHistory, brokenHistory],
    failures: [['malformed-history']],
  },
  {
    fault: 22,
    title: '400 for a history without such a call is the failure immediately',
    steps: [brokenHistory],
    failures: [['malformed-history']],
  },
  {
    fault: 23,
    title: '500 for arguments in the history is a malformed history',
    steps: [failing(500, 'Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]')],
    failures: [['malformed-history', /answered 500/]],
  },
  {
    fault: 24,
    title: '400 for missing reasoning is retried with it',
    protocols: ['chat'],
    request: userRequest('', {
      messages: [
        ...ask,
        { role: 'assistant', content: [], tool_calls: [call('call_b')], reasoning_content: 'So.', thinking_blocks: [] },
        toolMessage,
      ],
    }),
    steps: [failing(400, 'reasoning_content is missing in assistant tool call message'), fine, fine],
    repeats: 2,
    reply: { text: 'Fine.' },
    also: ({ bodies }) =>
      assert.deepEqual(
        bodies.map(({ messages }) => (messages as readonly { reasoning_content?: string }[])[1]?.reasoning_content),
        [undefined, 'So.', 'So.'],
      ),
  },
  {
    fault: 25,
    title: '400 for a signature is retried without encrypted reasoning, which later requests omit',
    request: (origin) =>
      userRequest('', { messages: [...ask, withEncryptedReasoning(origin), ...userRequest('Continue.').messages] }),
    steps: (protocol) => [
      failing(
        400,
        protocol === 'chat' ? 'Invalid `signature` in `thinking` block' : 'The encrypted content is foreign.',
      ),
      fine,
      fine,
    ],
    repeats: 2,
    reply: { text: 'Fine.' },
    also: ({ bodies }) =>
      assert.deepEqual(
        bodies.map((body) => /signature|encrypted_content/.test(JSON.stringify(body))),
        [true, false, false],
      ),
  },
];
