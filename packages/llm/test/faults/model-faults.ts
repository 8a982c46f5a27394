import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text, textOf, type Message } from '@varve/events';
import { checkMessages } from '@varve/events/projections';
import { dumpsFrom } from '../../src/wrappers/dumps/dumps-from.ts';
import { mockFunctionCalling } from '../../src/function-calling/mock-function-calling.ts';
import { retry } from '../../src/retry.ts';
import { userRequest, type ScriptedStep } from '../../src/testing/index.ts';
import { meterCalls, type CallMeasure } from '../../src/wrappers/meter-calls.ts';
import { routeCalls } from '../../src/wrappers/route-calls.ts';
import { rawResponse, failing, fine, grep, withTools } from './answers.ts';
import type { FaultScenario, FaultRow } from './fault-row.ts';
import { modelAt, retryWithoutWaiting, serve } from './run-fault.ts';

const down = rawResponse({ status: 503, body: '' });
const echo: ScriptedStep = ({ messages }) => {
  const question = textOf(messages.at(-1)?.content ?? []);
  return { text: `Echo of ${question}`, usage: { input_tokens: question.length, output_tokens: 1 } };
};

const call = (id: string, extra: object = {}) => ({
  id,
  name: 'grep',
  arguments: '{"pattern":"x"}',
  origin: 'completion' as const,
  ...extra,
});
const result = (id: string): Message => ({
  role: 'tool',
  tool_call_id: id,
  name: 'grep',
  content: [text(`found by ${id}`)],
  thinking_blocks: [],
});

/** A history of model A: two parallel calls, with encrypted data that only A can read. */
const historyOfA: readonly Message[] = [
  ...userRequest('Look').messages,
  {
    role: 'assistant',
    content: [text('Looking twice.')],
    tool_calls: [call('one', { extra: { origin: 'a', extra_content: { signature: 'of-a' } } }), call('two')],
    thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 'of-a' }],
    extra: { origin: 'a', reasoning_details: [{ type: 'reasoning.text', signature: 'of-a' }] },
  },
  result('one'),
  result('two'),
];

const malformed = { text: '<function=grep>\n<parameter=patern>x</parameter>\n</function>', usage: { input_tokens: 9 } };

/** F5, F59 and F64 to F67: several models, calls and modes. */
export const modelFaults: readonly (FaultRow | FaultScenario)[] = [
  {
    fault: 5,
    title: 'after 429 five times the next model is used',
    async run(variant) {
      await using first = await serve(
        variant,
        [1, 2, 3, 4, 5].map(() => failing(429, 'Slow down.')),
      );
      await using second = await serve(variant, [fine]);
      const retrying = retry(retryWithoutWaiting({ failures: [], waits: [] }));
      const reply = await routeCalls([retrying(modelAt(variant, first)), retrying(modelAt(variant, second))]).generate(
        userRequest('Hi'),
      );
      assert.equal(textOf(reply.message.content), 'Fine.');
      first.assertDone();
      second.assertDone();
    },
  },
  {
    fault: 59,
    title: 'a folder that cannot be written does not affect the call and is reported once',
    async run(variant) {
      const file = join(await mkdtemp(join(tmpdir(), 'varve-faults-')), 'file');
      await writeFile(file, 'not a folder');
      const problems: string[] = [];
      const env = { LLM_LOG_COMPLETIONS: '1', OPENHANDS_DUMP_REQUEST: '1', OPENHANDS_CAPTURE_RAW_RESPONSE: '1' };
      const dumps = dumpsFrom(env, { path: join(file, 'logs'), onProblem: (problem) => problems.push(problem) });
      assert.ok(dumps);
      await using server = await serve(variant, [fine, fine]);
      const model = dumps.wrap(modelAt(variant, server, { fetch: dumps.fetch }));
      for (let count = 0; count < 2; count += 1) {
        assert.equal(textOf((await model.generate(userRequest('Hi'))).message.content), 'Fine.');
      }
      await dumps.flush();
      // One folder for calls, and one for requests and responses.
      assert.equal(problems.length, 2, problems.join('\n'));
    },
  },
  {
    fault: 64,
    title: 'twenty concurrent calls get their own replies and measurements',
    async run(variant) {
      const questions = Array.from({ length: 20 }, (_, index) => 'x'.repeat(index + 1));
      await using server = await serve(
        variant,
        questions.map(() => echo),
      );
      const measures: CallMeasure[] = [];
      const model = meterCalls({ onCall: (measure) => measures.push(measure) })(modelAt(variant, server));
      const streamed = questions.map(() => '');
      const replies = await Promise.all(
        questions.map((question, index) =>
          model.generate(userRequest(question), {
            onDelta: (delta) => void (streamed[index] += delta.kind === 'text' ? delta.text : ''),
          }),
        ),
      );
      const expected = questions.map((question) => `Echo of ${question}`);
      assert.deepEqual(
        replies.map(({ message }) => textOf(message.content)),
        expected,
      );
      assert.deepEqual(streamed, expected);
      assert.deepEqual(
        measures.map(({ usage }) => usage?.input_tokens ?? 0).toSorted((a, b) => a - b),
        questions.map(({ length }) => length),
      );
    },
  },
  {
    fault: 65,
    title: 'after a failed model the next one replies',
    async run(variant) {
      await using first = await serve(variant, [down]);
      await using second = await serve(variant, [fine]);
      const reply = await routeCalls([modelAt(variant, first), modelAt(variant, second)]).generate(userRequest('Hi'));
      assert.deepEqual([textOf(reply.message.content), reply.attempts, reply.usage?.input_tokens], ['Fine.', 2, 7]);
    },
  },
  {
    fault: 65,
    title: 'when all models fail, the failure is that of the first',
    async run(variant) {
      await using first = await serve(variant, [failing(503, 'The first is down.')]);
      await using second = await serve(variant, [failing(429, 'The second is busy.')]);
      const failed = routeCalls([modelAt(variant, first), modelAt(variant, second)]).generate(userRequest('Hi'));
      await assert.rejects(failed, { code: 'unavailable', message: /The first is down\.$/ });
      second.assertDone();
    },
  },
  {
    fault: 66,
    title: 'the usage of invalid calls in text counts for each of three attempts',
    wrap: mockFunctionCalling(),
    request: withTools,
    steps: [malformed, malformed, malformed],
    repeats: 3,
    reply: { calls: [['grep', '{"patern":"x"}']], usage: [9, 0] },
    also({ replies }) {
      for (const { invalidCalls = {}, usage, message } of replies) {
        const [problem = ''] = Object.values(invalidCalls);
        assert.match(problem, /^grep has no parameter patern\. Its parameters are: pattern/);
        assert.deepEqual(
          Object.keys(invalidCalls),
          message.tool_calls?.map(({ id }) => id),
        );
        assert.equal(usage?.input_tokens, 9);
      }
      assert.equal(replies.length, 3);
    },
  },
  {
    fault: 67,
    title: 'a history with parallel calls continues with another model, without encrypted data of the first',
    request: userRequest('', { messages: historyOfA, tools: [grep] }),
    steps: [
      ({ messages }) => {
        assert.deepEqual(checkMessages(messages), []);
        return { text: 'Fine.' };
      },
    ],
    reply: { text: 'Fine.' },
    also: ({ bodies }) => assert.doesNotMatch(JSON.stringify(bodies), /of-a/),
  },
  {
    fault: 67,
    title: 'a history with parallel calls continues with calls as text',
    wrap: mockFunctionCalling(),
    request: userRequest('', { messages: historyOfA, tools: [grep] }),
    steps: [
      ({ messages, tools }) => {
        assert.deepEqual([checkMessages(messages), tools], [[], []]);
        assert.deepEqual(
          messages.map(({ role }) => role),
          ['system', 'user', 'assistant', 'user'],
        );
        const [, , written, results] = messages.map(({ content }) => textOf(content));
        assert.equal(written?.match(/<function=grep>\n<parameter=pattern>x<\/parameter>/g)?.length, 2);
        assert.match(results ?? '', /found by one[^]*found by two/);
        return { text: 'Fine.' };
      },
    ],
    reply: { text: 'Fine.' },
    also: ({ bodies }) => assert.doesNotMatch(JSON.stringify(bodies), /of-a/),
  },
];
