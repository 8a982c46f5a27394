import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text, textOf, type Message } from '@varve/events';
import { checkMessages } from '@varve/events/projections';
import { dumpsFrom } from '../../src/dumps/dumps-from.ts';
import { mockFunctionCalling } from '../../src/function-calling/mock-function-calling.ts';
import { retry } from '../../src/retry.ts';
import { userRequest, type ScriptedStep } from '../../src/testing/index.ts';
import { meterCalls, type CallMeasure } from '../../src/wrappers/meter-calls.ts';
import { routeCalls } from '../../src/wrappers/route-calls.ts';
import { answered, failing, fine, grep, withTools } from './answers.ts';
import type { FaultPlay, FaultRow } from './fault-row.ts';
import { modelAt, patience, serve } from './run-fault.ts';

const down = answered({ status: 503, body: '' });
const echo: ScriptedStep = ({ messages }) => {
  const said = textOf(messages.at(-1)?.content ?? []);
  return { text: `You said ${said}`, usage: { input_tokens: said.length, output_tokens: 1 } };
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

/** What model A left behind: two calls at once, with data that only A can read. */
const leftByA: readonly Message[] = [
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

/** F5, F59 and F64 to F67: several models, calls and ways at once. */
export const modelFaults: readonly (FaultRow | FaultPlay)[] = [
  {
    fault: 5,
    title: '429 five times goes on to another model',
    async play(stage) {
      await using first = await serve(
        stage,
        [1, 2, 3, 4, 5].map(() => failing(429, 'Slow down.')),
      );
      await using second = await serve(stage, [fine]);
      const persist = retry(patience({ failures: [], waits: [] }));
      const reply = await routeCalls([persist(modelAt(stage, first)), persist(modelAt(stage, second))]).generate(
        userRequest('Hi'),
      );
      assert.equal(textOf(reply.message.content), 'Fine.');
      first.assertDone();
      second.assertDone();
    },
  },
  {
    fault: 59,
    title: 'a folder that cannot be written to does not disturb the call, and is told once',
    async play(stage) {
      const file = join(await mkdtemp(join(tmpdir(), 'varve-faults-')), 'file');
      await writeFile(file, 'not a folder');
      const problems: string[] = [];
      const env = { LLM_LOG_COMPLETIONS: '1', OPENHANDS_DUMP_REQUEST: '1', OPENHANDS_CAPTURE_RAW_RESPONSE: '1' };
      const dumps = dumpsFrom(env, { path: join(file, 'logs'), onProblem: (problem) => problems.push(problem) });
      assert.ok(dumps);
      await using server = await serve(stage, [fine, fine]);
      const model = dumps.wrap(modelAt(stage, server, { fetch: dumps.fetch }));
      for (let count = 0; count < 2; count += 1) {
        assert.equal(textOf((await model.generate(userRequest('Hi'))).message.content), 'Fine.');
      }
      await dumps.flush();
      // One of the calls, and one of what goes over the wire.
      assert.equal(problems.length, 2, problems.join('\n'));
    },
  },
  {
    fault: 64,
    title: 'twenty calls at once get their own replies and measures',
    async play(stage) {
      const questions = Array.from({ length: 20 }, (_, index) => 'x'.repeat(index + 1));
      await using server = await serve(
        stage,
        questions.map(() => echo),
      );
      const measures: CallMeasure[] = [];
      const model = meterCalls({ onCall: (measure) => measures.push(measure) })(modelAt(stage, server));
      const heard = questions.map(() => '');
      const replies = await Promise.all(
        questions.map((question, index) =>
          model.generate(userRequest(question), {
            onDelta: (delta) => void (heard[index] += delta.kind === 'text' ? delta.text : ''),
          }),
        ),
      );
      const expected = questions.map((question) => `You said ${question}`);
      assert.deepEqual(
        replies.map(({ message }) => textOf(message.content)),
        expected,
      );
      assert.deepEqual(heard, expected);
      assert.deepEqual(
        measures.map(({ usage }) => usage?.input_tokens ?? 0).toSorted((one, other) => one - other),
        questions.map(({ length }) => length),
      );
    },
  },
  {
    fault: 65,
    title: 'a model that is down is followed by another, which gives the reply',
    async play(stage) {
      await using first = await serve(stage, [down]);
      await using second = await serve(stage, [fine]);
      const reply = await routeCalls([modelAt(stage, first), modelAt(stage, second)]).generate(userRequest('Hi'));
      assert.deepEqual([textOf(reply.message.content), reply.attempts, reply.usage?.input_tokens], ['Fine.', 2, 7]);
    },
  },
  {
    fault: 65,
    title: 'when all models fail, the failure is that of the first',
    async play(stage) {
      await using first = await serve(stage, [failing(503, 'The first is down.')]);
      await using second = await serve(stage, [failing(429, 'The second is busy.')]);
      const asked = routeCalls([modelAt(stage, first), modelAt(stage, second)]).generate(userRequest('Hi'));
      await assert.rejects(asked, { code: 'unavailable', message: /The first is down\.$/ });
      second.assertDone();
    },
  },
  {
    fault: 66,
    title: 'calls as text that cannot be run cost what they cost, three times',
    wrap: mockFunctionCalling(),
    request: withTools,
    steps: [malformed, malformed, malformed],
    asks: 3,
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
    title: 'a history with calls at once goes on with another model, without what only the first can read',
    request: userRequest('', { messages: leftByA, tools: [grep] }),
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
    title: 'a history with calls at once goes on with calls as text',
    wrap: mockFunctionCalling(),
    request: userRequest('', { messages: leftByA, tools: [grep] }),
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
