import assert from 'node:assert/strict';
import { rawResponse, chunk, data, done, streamed, withTools } from './answers.ts';
import type { FaultRow, Outcome } from './fault-row.ts';

/** Returns a delta of the chat protocol with pieces of calls. */
function pieces(...calls: readonly object[]): string {
  return chunk({ tool_calls: calls });
}

const piece = (json: unknown, fields: object = {}): object => ({ function: { arguments: json }, ...fields });
const firstPiece = (name: string, json: unknown, fields: object = {}): object => ({
  type: 'function',
  function: { name, arguments: json },
  ...fields,
});

/** Returns a stream of the chat protocol with these pieces of calls, one chunk each. */
function calling(...deltas: readonly (readonly object[])[]): ReturnType<typeof streamed> {
  return streamed(...deltas.map((each) => pieces(...each)), chunk({}, 'tool_calls'), done);
}

const call = '{"pattern":"one"}';
const two = '{"pattern":"two"}';
const both = [
  ['grep', call],
  ['grep', two],
] as const;

const broken: readonly (readonly [string, string])[] = [
  ['a trailing comma', '{"pattern": "x",}'],
  ['a raw line feed', '{"pattern": "a\nb"}'],
  ['single quotes', "{'pattern': 'x'}"],
  ['a backslash that escapes nothing', '{"pattern": "\\d+"}'],
  ['a fence around them', '```json\n{"pattern": "x"}\n```'],
];

const usage = (tokens: number): object => ({ prompt_tokens: tokens, completion_tokens: tokens });
const usageChunk = (tokens: number, choices: readonly object[] = []): string => data({ choices, usage: usage(tokens) });
const contentChoice = (content: string | null): object => ({ index: 0, delta: { content }, finish_reason: null });
const stop = chunk({}, 'stop');

/** Asserts that the deltas have exactly these kinds. */
function alone(...kinds: readonly string[]): (seen: Outcome) => void {
  return ({ deltas }) => assert.deepEqual(deltas, kinds);
}

/** F45 to F55: calls and pieces in unusual forms. The agent's tests cover its handling of F42 to F51. */
export const callFaults: readonly FaultRow[] = [
  ...broken.map(([what, json]) => ({
    fault: 45,
    title: `arguments with ${what} are returned byte for byte; the agent repairs them`,
    request: withTools,
    steps: [{ calls: [{ name: 'grep', arguments: json }] }],
    reply: { calls: [['grep', json] as const], finish: 'tool-calls' as const },
  })),
  {
    fault: 46,
    title: 'arguments that cannot be repaired are returned byte for byte and are not a failure',
    request: withTools,
    steps: [{ calls: [{ name: 'grep', arguments: '{"pattern": "x" and then' }] }],
    reply: { calls: [['grep', '{"pattern": "x" and then']], finish: 'tool-calls' },
  },
  {
    fault: 47,
    title: 'a call of an unknown tool is returned and is not a failure',
    request: withTools,
    steps: [{ calls: [{ name: 'jump', arguments: '{}' }] }],
    reply: { calls: [['jump', '{}']], finish: 'tool-calls' },
  },
  ...['functions.grep', 'grep<|channel|>commentary', 'grep:0', 'grep ', ' grep\n'].map((name) => ({
    fault: 48,
    title: `the name ${JSON.stringify(name)} is the intended tool`,
    request: withTools,
    steps: [{ calls: [{ name, arguments: call }] }],
    reply: { calls: [['grep', call] as const] },
  })),
  ...['', 'null', 'same'].map((id) => ({
    fault: 49,
    title: `two calls with the id "${id}" get unique ids`,
    protocols: ['chat'] as const,
    modes: ['whole'] as const,
    request: withTools,
    steps: [
      rawResponse({
        body: {
          choices: [
            {
              index: 0,
              message: {
                role: 'assistant',
                tool_calls: [firstPiece('grep', call, { id }), firstPiece('grep', two, { id })],
              },
              finish_reason: 'tool_calls',
            },
          ],
        },
      }),
    ],
    reply: { calls: both },
  })),
  ...['', 'null', 'same'].map((id) => ({
    fault: 49,
    title: `two streamed calls with the id "${id}" get unique ids`,
    protocols: ['chat'] as const,
    modes: ['streamed'] as const,
    request: withTools,
    steps: [calling([firstPiece('grep', call, { id, index: 0 })], [firstPiece('grep', two, { id, index: 1 })])],
    reply: { calls: both },
    also: alone('tool-call'),
  })),
  {
    fault: 49,
    title: 'two calls with the same id get unique ids',
    protocols: ['responses'],
    request: withTools,
    steps: [
      {
        calls: [
          { id: 'same', name: 'grep', arguments: call },
          { id: 'same', name: 'grep', arguments: two },
        ],
      },
    ],
    reply: { calls: both },
  },
  {
    fault: 50,
    title: 'two calls with the index 0 are separate calls',
    protocols: ['chat'],
    request: withTools,
    steps: [
      calling(
        [firstPiece('grep', '{"pattern"', { id: 'a', index: 0 })],
        [piece(':"one"}', { index: 0 })],
        [firstPiece('grep', two, { id: 'b', index: 0 })],
      ),
    ],
    reply: { calls: both },
  },
  {
    fault: 50,
    title: 'two calls without an index are separate calls',
    protocols: ['chat'],
    request: withTools,
    steps: [calling([firstPiece('grep', '{"pattern"'), piece(':"one"}')], [firstPiece('grep', two)])],
    reply: { calls: both },
  },
  {
    fault: 50,
    title: 'two calls with alternating pieces are separate calls',
    protocols: ['chat'],
    request: withTools,
    steps: [
      calling(
        [firstPiece('grep', '{"pattern"', { id: 'a', index: 0 }), firstPiece('grep', '{"pat', { id: 'b', index: 1 })],
        [piece('tern":"two"}', { index: 1 })],
        [piece(':"one"}', { index: 0 })],
      ),
    ],
    reply: { calls: both },
  },
  {
    fault: 51,
    title: 'arguments sent as an object are serialized',
    protocols: ['chat'],
    request: withTools,
    steps: [calling([firstPiece('grep', { pattern: 'one' }, { id: 'a', index: 0 })])],
    reply: { calls: [['grep', call]] },
  },
  {
    fault: 51,
    title: 'empty arguments are the empty object',
    request: withTools,
    steps: [{ calls: [{ name: 'grep', arguments: '' }] }],
    reply: { calls: [['grep', '{}']] },
  },
  {
    fault: 51,
    title: 'cumulative arguments are not duplicated',
    protocols: ['chat'],
    request: withTools,
    steps: [
      calling(
        [firstPiece('grep', '{"pattern"', { id: 'a', index: 0 })],
        [piece('{"pattern":"o', { index: 0 })],
        [piece(call, { index: 0 })],
      ),
    ],
    reply: { calls: [['grep', call]] },
  },
  {
    fault: 53,
    title: 'the last of several usage reports counts',
    protocols: ['chat'],
    steps: [
      streamed(
        usageChunk(5, [contentChoice('Hel')]),
        usageChunk(6, [contentChoice('lo')]),
        usageChunk(7, [contentChoice('')]),
        stop,
        done,
      ),
    ],
    reply: { text: 'Hello', usage: [7, 7] },
  },
  {
    fault: 53,
    title: 'usage within the choice counts',
    protocols: ['chat'],
    steps: [streamed(data({ choices: [{ ...contentChoice('Hello'), usage: usage(5), finish_reason: 'stop' }] }), done)],
    reply: { text: 'Hello', usage: [5, 5] },
  },
  {
    fault: 53,
    title: 'usage after the finish reason counts',
    protocols: ['chat'],
    steps: [streamed(chunk({ content: 'Hello' }), stop, usageChunk(9), done)],
    reply: { text: 'Hello', usage: [9, 9] },
  },
  {
    fault: 53,
    title: 'reported usage counts, and missing usage is absent',
    steps: [{ text: 'One.', usage: { input_tokens: 3, output_tokens: 4 } }, { text: 'Two.' }],
    repeats: 2,
    reply: { text: 'Two.', usage: 'absent' },
    also: ({ replies: [first] }) => assert.equal(first?.usage?.output_tokens, 4),
  },
  {
    fault: 54,
    title: 'empty choices, null deltas and an empty role are ignored',
    protocols: ['chat'],
    steps: [
      streamed(
        data({ choices: [], prompt_filter_results: [] }),
        data({ choices: [{ index: 0, delta: null }] }),
        data({ choices: [{ index: 0 }] }),
        chunk({ role: '', content: '', tool_calls: [] }),
        chunk({ role: '', content: 'Hello', tool_calls: null }),
        chunk({ content: null }),
        stop,
        done,
      ),
    ],
    reply: { text: 'Hello', finish: 'stop' },
  },
  {
    fault: 54,
    title: 'unknown events are ignored',
    protocols: ['responses'],
    steps: [
      streamed(
        data({ type: 'response.queued' }),
        data({ type: 'response.whatever', delta: 'no' }),
        data({ type: 'response.output_text.delta', output_index: 0, delta: '' }),
        data({ type: 'response.output_text.delta', output_index: 0, delta: 'Hello' }),
        data({ type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } }),
      ),
    ],
    reply: { text: 'Hello', finish: 'stop' },
  },
  {
    fault: 55,
    title: 'reasoning between tags is separated from text, wherever the tags are split',
    protocols: ['chat'],
    steps: [
      streamed(
        ...['<th', 'ink>Sh', 'ort pl', 'an</thi', 'nk>\n\nHel', 'lo'].map((content) => chunk({ content })),
        stop,
        done,
      ),
    ],
    reply: { text: 'Hello', reasoning: 'Short plan' },
    also: alone('reasoning', 'text'),
  },
  {
    fault: 55,
    title: 'reasoning without an opening tag is separated from text',
    protocols: ['chat'],
    options: { dialect: { thinkTags: 'opened' } },
    steps: [streamed(...['Sh', 'ort plan</', 'think>\n', 'Hello'].map((content) => chunk({ content })), stop, done)],
    reply: { text: 'Hello', reasoning: 'Short plan' },
    also: alone('reasoning', 'text'),
  },
];
