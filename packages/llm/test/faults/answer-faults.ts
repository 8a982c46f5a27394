import assert from 'node:assert/strict';
import { userRequest, type ScriptedStep } from '../../src/testing/index.ts';
import { rawResponse, chunk, data, done, failing, fine, page, streamed, whole, word } from './answers.ts';
import type { FaultRow, ProtocolName } from './fault-row.ts';

/** Returns a complete response of the chat protocol. */
function completion(message: object, finish: string | null): ScriptedStep {
  return rawResponse({ body: { id: 'w', choices: [{ index: 0, message, finish_reason: finish }] } });
}

/** Returns a complete response of the Responses protocol. */
function response(output: readonly object[], fields: object = { status: 'completed' }): ScriptedStep {
  return rawResponse({ body: { id: 'w', output, ...fields } });
}

const cold = userRequest('Hi', { parameters: { temperature: 0 } });
const tooMany = { code: 'rate_limit_exceeded', message: 'Too many requests.' };
const withheld = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
const thinking = { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'Hm.' }] };
const refusal = { type: 'message', content: [{ type: 'refusal', refusal: 'I will not.' }] };

function inStream(protocol: ProtocolName, ...blocks: readonly string[]): ScriptedStep {
  return streamed(word(protocol, 'Hello'), ...blocks);
}

/** F37 to F44: responses that are invalid or empty. */
export const answerFaults: readonly FaultRow[] = [
  {
    fault: 37,
    title: 'an error with a status in a stream has the code of the status and is retried',
    steps: (protocol) => [inStream(protocol, data({ error: { code: 429, message: 'Slow down in 20ms.' } })), fine],
    failures: [['rate-limited', /reported an error: Slow down/]],
    reply: { text: 'Fine.' },
    also: ({ deltas }) => assert.deepEqual(deltas, ['text', 'reset', 'text']),
  },
  {
    fault: 37,
    title: 'an error in a stream may request a wait',
    steps: (protocol) => [
      inStream(protocol, data({ error: { code: 429, message: 'Please try again in 20ms.' } })),
      fine,
    ],
    failures: [['rate-limited']],
    waits: [20],
    reply: { text: 'Fine.' },
  },
  {
    fault: 37,
    title: 'a permanent error in a stream is not retried',
    steps: (protocol) => [inStream(protocol, data({ error: { code: 'insufficient_quota', message: 'No credit.' } }))],
    failures: [['quota']],
  },
  {
    fault: 38,
    title: 'an error event is mapped and retried',
    steps: (protocol) => [inStream(protocol, 'event: error\ndata: {"message":"overloaded"}'), fine],
    failures: [['rate-limited', /reported an error: overloaded/]],
    reply: { text: 'Fine.' },
  },
  {
    fault: 38,
    title: 'an error event that is not JSON is mapped and retried',
    steps: (protocol) => [inStream(protocol, 'event: error\ndata: out of memory'), fine],
    failures: [['unavailable', /reported an error: out of memory/]],
    reply: { text: 'Fine.' },
  },
  {
    fault: 38,
    title: 'an event for a failed reply is mapped by its error and retried',
    protocols: ['responses'],
    steps: [
      streamed(data({ type: 'response.failed', response: { id: 'r', status: 'failed', error: tooMany } })),
      rawResponse({ body: { id: 'r', status: 'failed', output: [], error: tooMany } }),
      streamed(data({ type: 'error', ...tooMany })),
      fine,
    ],
    failures: [
      ['rate-limited', /reported an error: Too many requests\.$/],
      ['rate-limited', /reported an error: Too many requests\.$/],
      ['rate-limited', /reported an error: Too many requests\.$/],
    ],
    reply: { text: 'Fine.' },
  },
  {
    fault: 38,
    title: 'an error as the finish reason is retried',
    protocols: ['chat'],
    steps: [streamed(chunk({ content: 'Hi' }, 'error'), done), fine],
    failures: [['unavailable']],
    reply: { text: 'Fine.' },
  },
  {
    fault: 39,
    title: 'a page with status 200 is malformed and retried once',
    steps: [rawResponse({ body: page }), rawResponse({ body: page })],
    failures: [
      ['malformed-reply', /answered with an HTML page titled "Sign in" instead of a reply\.$/],
      ['malformed-reply', /answered with an HTML page titled "Sign in" instead of a reply\.$/],
    ],
  },
  {
    fault: 39,
    title: 'an error with status 200 is mapped',
    steps: [rawResponse({ body: { error: 'Unexpected endpoint or method. (POST /v1/v1)' } })],
    failures: [['bad-request', /Unexpected endpoint/]],
  },
  {
    fault: 39,
    title: 'an error with status 200 and another status in its body is mapped by that status and retried',
    steps: [rawResponse({ body: { error: { code: 503 } } }), fine],
    failures: [['unavailable']],
    reply: { text: 'Fine.' },
  },
  {
    fault: 39,
    title: 'a reply that is not streamed as requested is accepted',
    steps: (protocol) => [rawResponse({ body: whole(protocol, 'Whole.') })],
    reply: { text: 'Whole.', finish: 'stop' },
    also: ({ deltas }) => assert.deepEqual(deltas, ['text']),
  },
  ...['', '   ', 'ok', '[]', 'null'].map((body) => ({
    fault: 40,
    title: `"${body}" with status 200 is malformed and retried`,
    steps: [rawResponse({ body }), fine],
    failures: [['malformed-reply'] as const],
    reply: { text: 'Fine.' },
  })),
  ...[[], null, {}].map((choices) => ({
    fault: 40,
    title: `the choices ${JSON.stringify(choices)} are malformed and retried`,
    protocols: ['chat'] as const,
    steps: [rawResponse({ body: { id: 'x', choices } }), fine],
    failures: [['malformed-reply', /without a readable choice: its fields are "id", "choices"\.$/] as const],
    reply: { text: 'Fine.' },
  })),
  {
    fault: 40,
    title: 'JSON of another kind is malformed and retried',
    steps: [rawResponse({ body: { ok: true } }), fine],
    failures: [['malformed-reply']],
    reply: { text: 'Fine.' },
  },
  {
    fault: 41,
    title: 'an empty reply at temperature 0 is retried at temperature 1',
    request: cold,
    steps: [{ text: '' }, fine],
    failures: [['empty']],
    reply: { text: 'Fine.' },
    also: ({ bodies }) =>
      assert.deepEqual(
        bodies.map((body) => body['temperature']),
        [0, 1],
      ),
  },
  {
    fault: 41,
    title: 'a reply of white space three times is the failure',
    steps: [1, 2, 3].map(() => ({ text: ' \n' })),
    failures: [['empty'], ['empty'], ['empty']],
  },
  {
    fault: 42,
    title: 'a reply of reasoning alone is a reply',
    steps: [{ reasoning: 'Only thought.' }],
    reply: { text: '', reasoning: 'Only thought.', finish: 'stop' },
  },
  {
    fault: 43,
    title: 'text cut by the output limit is a reply with the finish reason length',
    steps: [{ text: 'All that fits', finish: 'length' }],
    reply: { text: 'All that fits', finish: 'length' },
  },
  {
    fault: 43,
    title: 'a call cut by the output limit is returned unchanged, with a finish reason that forbids running it',
    steps: [{ calls: [{ name: 'grep', arguments: '{"pattern": "rm -rf /tm' }], finish: 'length' }],
    reply: { calls: [['grep', '{"pattern": "rm -rf /tm']], finish: 'length' },
  },
  {
    fault: 43,
    title: 'a reply without anything before the output limit is truncated and not retried',
    steps: [{ error: { code: 'truncated' } }],
    failures: [['truncated']],
  },
  {
    fault: 44,
    title: 'a reply withheld by the provider is refused and not retried',
    steps: (protocol) => [
      protocol === 'chat' ? completion({ role: 'assistant', content: null }, 'content_filter') : response([], withheld),
    ],
    failures: [['refused']],
  },
  {
    fault: 44,
    title: 'a stream withheld by the provider is refused and not retried',
    steps: (protocol) => [
      protocol === 'chat'
        ? streamed(chunk({ content: '' }), chunk({}, 'content_filter'), done)
        : streamed(data({ type: 'response.incomplete', response: { id: 'r', output: [], ...withheld } })),
    ],
    failures: [['refused']],
  },
  {
    fault: 44,
    title: 'a prompt rejected by a content filter is refused and not retried',
    steps: [failing(400, 'The response was filtered due to the prompt triggering content management policy.')],
    failures: [['refused']],
  },
  {
    fault: 44,
    title: 'the text of a refusal is the text of the reply',
    steps: (protocol) => [
      protocol === 'chat'
        ? completion({ role: 'assistant', content: null, refusal: 'I will not.' }, 'stop')
        : response([thinking, refusal]),
    ],
    reply: { text: 'I will not.', finish: 'stop' },
  },
];
