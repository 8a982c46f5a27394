import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventCodec } from '../codec.ts';
import { text } from '../content.ts';
import type { BaseEvent, Stamp } from '../define-event.ts';
import { callFact } from '../facts/call.ts';
import { forkEndFact, forkFact } from '../facts/fork.ts';
import { parametersFact } from '../facts/parameters.ts';
import { runFact } from '../facts/run.ts';
import { settingsFact } from '../facts/settings.ts';
import { ActionEvent } from '../kinds/action-event.ts';
import { builtinKinds } from '../kinds/builtin-kinds.ts';
import { ConversationErrorEvent } from '../kinds/conversation-error-event.ts';
import { MessageEvent } from '../kinds/message-event.ts';
import { ObservationEvent } from '../kinds/observation-event.ts';
import { UserRejectObservation } from '../kinds/user-reject-observation.ts';
import { arbitraryLog, type Log } from '../testing/arbitrary-log.ts';
import { timestamps } from '../timestamps.ts';
import { otlpTraces } from './otlp.ts';
import { SpanFold, spansOf } from './span-fold.ts';
import type { Span } from './span.ts';

const t0 = Date.UTC(2026, 0, 1);
const usage = { input_tokens: 10, output_tokens: 5, cache_read_tokens: 4, cache_write_tokens: 1, reasoning_tokens: 2 };
const spec = (baseUrl: string) => ({ model: { kind: 'retry', model: { kind: 'openai-chat', model: 'm', baseUrl } } });

/** Makes events one second apart; the number in an id is that of the event. */
function writer() {
  let count = 0;
  let now = t0;
  const stamps = timestamps(() => now);
  const made = <Event extends BaseEvent>(make: (stamp: Stamp) => Event): Event => {
    count += 1;
    now += 1000;
    return make({ id: `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`, timestamp: stamps() });
  };
  const run = (state: 'begun' | 'ended') => made((stamp) => runFact.create({ state, at: now }, stamp));
  const reply = (actions: readonly string[], more: object = {}) =>
    made((stamp) =>
      callFact.create(
        {
          response_id: 'r1',
          actions: [...actions],
          usage_id: 'agent',
          model: 'm',
          finish: 'tool-calls',
          usage,
          cost_usd: 1,
          latency_ms: 500.5,
          digests: { messages: '', tools: '', parameters: 'p' },
          projections: {},
          at: now,
          ...more,
        },
        stamp,
      ),
    );
  const action = (id: string) =>
    made((stamp) => {
      const call = { id: 'c1', name: 'grep', arguments: '{"q":"secret"}', origin: 'completion' } as const;
      const fields = { tool_name: 'grep', tool_call_id: 'c1', tool_call: call, llm_response_id: 'r1' };
      return ActionEvent.create({ thought: [text('A secret.')], thinking_blocks: [], ...fields }, { ...stamp, id });
    });
  const result = (id: string, isError = false) =>
    made((stamp) => {
      const observation = { kind: 'X', content: [text('A secret.')], is_error: isError };
      return ObservationEvent.create({ tool_name: 'grep', tool_call_id: 'c1', action_id: id, observation }, stamp);
    });
  return { made, run, reply, action, result };
}

const a1 = '00000000-0000-4000-8000-0000000000a1';

function oneRun(isError = false): readonly BaseEvent[] {
  const { made, run, reply, action, result } = writer();
  const content = { role: 'user', content: [text('A secret.')] } as const;
  return [
    made((stamp) => settingsFact.create({ workspace: '/', agent: spec('https://api.openai.com/v1') }, stamp)),
    made((stamp) => MessageEvent.create({ source: 'user', llm_message: content }, stamp)),
    run('begun'),
    made((stamp) => parametersFact.create({ digest: 'p', parameters: { temperature: 0, seed: 3, x: 1 } }, stamp)),
    reply([a1]),
    action(a1),
    result(a1, isError),
    run('ended'),
  ];
}

test('a run has its steps, and a step its call of the model and those of tools', () => {
  const spans = spansOf('c1', oneRun());
  expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
    ['chat m', 'client'],
    ['execute_tool grep', 'internal'],
    ['step', 'internal'],
    ['invoke_agent varve', 'internal'],
  ]);
  const [chat, tool, step, run] = spans;
  expect([chat?.parentSpanId, tool?.parentSpanId]).toEqual([step?.spanId, step?.spanId]);
  expect([step?.parentSpanId, run?.parentSpanId]).toEqual([run?.spanId, undefined]);
  // The id of the event that began the run.
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set(['00000000000040008000000000000003']));
  expect([chat?.start, chat?.end].map((at = 0) => at / 1000 - t0)).toEqual([4499.5, 5000]);
  expect([step?.end, tool?.end].map((at = 0) => at / 1000 - t0)).toEqual([7000, 7000]);
  expect(run?.attributes).toEqual({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': 'openai',
    'server.address': 'api.openai.com',
    'server.port': 443,
    'gen_ai.agent.name': 'varve',
    'gen_ai.conversation.id': 'c1',
    'varve.status': 'idle',
  });
});

test('a call of a model has its request, its usage and its server', () => {
  expect(spansOf('c1', oneRun())[0]?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'server.address': 'api.openai.com',
    'server.port': 443,
    'gen_ai.conversation.id': 'c1',
    'gen_ai.request.model': 'm',
    'gen_ai.request.temperature': 0,
    'gen_ai.request.seed': 3,
    'gen_ai.response.id': 'r1',
    'gen_ai.response.model': 'm',
    'gen_ai.response.finish_reasons': ['tool_call'],
    'gen_ai.usage.input_tokens': 10,
    'gen_ai.usage.output_tokens': 5,
    'gen_ai.usage.cache_read.input_tokens': 4,
    'gen_ai.usage.cache_write.input_tokens': 1,
    'gen_ai.usage.reasoning.output_tokens': 2,
    'varve.cost_usd': 1,
    'varve.usage_id': 'agent',
  });
});

test('texts are in spans on request only', () => {
  expect(JSON.stringify(spansOf('c1', oneRun()))).not.toContain('secret');
  const [chat, tool, , run] = spansOf('c1', oneRun(), { content: true }).map(({ attributes }) => attributes);
  const said = { type: 'text', content: 'A secret.' };
  const parts = [said, { type: 'tool_call', id: 'c1', name: 'grep', arguments: '{"q":"secret"}' }];
  expect(JSON.parse(String(chat?.['gen_ai.output.messages']))).toEqual([
    { role: 'assistant', parts, finish_reason: 'tool_call' },
  ]);
  expect(tool).toMatchObject({
    'gen_ai.tool.call.arguments': '{"q":"secret"}',
    'gen_ai.tool.call.result': 'A secret.',
  });
  expect(JSON.parse(String(run?.['gen_ai.input.messages']))).toEqual([{ role: 'user', parts: [said] }]);
});

test.for([
  ['https://mine.openai.azure.com/openai/v1', 'azure.ai.openai', 443],
  ['https://api.x.ai', 'x_ai', 443],
  ['https://openrouter.ai/api/v1', 'openrouter.ai', 443],
  ['http://vllm.test', 'vllm.test', 80],
] as const)('the provider at %s is %s', ([baseUrl, name, port]) => {
  const { made, run, reply } = writer();
  const settings = made((stamp) => settingsFact.create({ workspace: '/', agent: spec(baseUrl) }, stamp));
  const [chat] = spansOf('c1', [settings, run('begun'), reply([])]);
  expect([chat?.attributes['gen_ai.provider.name'], chat?.attributes['server.port']]).toEqual([name, port]);
});

test('failures of tools, of models and of runs are errors', () => {
  expect(spansOf('c1', oneRun(true))[1]).toMatchObject({ isError: true, attributes: { 'error.type': 'tool_error' } });
  const { made, run, reply } = writer();
  const spans = spansOf('c1', [
    run('begun'),
    reply([], { finish: 'quota', latency_ms: 0 }),
    made((stamp) =>
      ConversationErrorEvent.create({ source: 'environment', code: 'quota', detail: 'A secret.' }, stamp),
    ),
    run('ended'),
  ]);
  expect(spans.map(({ name, isError, attributes }) => [name, isError, attributes['error.type']])).toEqual([
    ['chat m', true, 'quota'],
    ['invoke_agent varve', true, 'quota'],
  ]);
});

test('a call that was denied was not executed', () => {
  const { made, run, reply, action } = writer();
  const denied = { tool_name: 'grep', tool_call_id: 'c1', action_id: a1, rejection_reason: 'A secret.' };
  const log = [run('begun'), reply([a1]), action(a1), made((stamp) => UserRejectObservation.create(denied, stamp))];
  const waits = spansOf('c1', log).filter(({ attributes }) => 'gen_ai.tool.name' in attributes);
  expect(waits).toMatchObject([{ name: 'approval grep', attributes: { 'varve.decision': 'rejected' } }]);
});

test('a run that was cut off ends with its last activity when the next one begins', () => {
  const { run, reply } = writer();
  const log = [run('begun'), reply([]), run('begun')];
  expect(spansOf('c1', log.slice(0, 2)).at(-2)).toMatchObject({ name: 'invoke_agent varve', attributes: {} });
  const [, , cut, open] = spansOf('c1', log);
  expect(cut).toMatchObject({ isError: true, attributes: { 'error.type': 'cut-off' } });
  expect((cut?.end ?? 0) / 1000 - t0).toBe(2000);
  expect(open?.isError).toBe(undefined);
});

test('events that a fork copied have no spans', () => {
  const { made, run, reply } = writer();
  const settings = { workspace: '/', agent: {} };
  const log = [
    made((stamp) => forkFact.create({ of: 'c0', events: 2, settings, at: t0 }, stamp)),
    run('begun'),
    reply([]),
    made((stamp) => forkEndFact.create({ fork: 'f', at: t0 }, stamp)),
  ];
  expect(spansOf('c1', log)).toEqual([]);
  expect(spansOf('c1', [...log, run('begun')])).toHaveLength(1);
});

const codec = eventCodec(builtinKinds);

/** Names a span also in a log that repeats ids of events. */
const keyOf = ({ name, spanId }: Span): string => `${name} ${spanId}`;

test('every span of a hostile log begins before it ends, and is legal OTLP', () => {
  const property = fc.property(arbitraryLog<fc.Arbitrary<Log>>(fc), (log) => {
    const fold = new SpanFold('c1', { content: true });
    const open = new Set<string>();
    for (const { text: json } of log) {
      for (const { kind, span } of fold.apply(codec.read(json))) {
        if (kind === 'begun') open.add(keyOf(span));
        else if (!open.delete(keyOf(span))) throw new Error(`${span.name} ends and has not begun.`);
        expect(span.end).toBeGreaterThanOrEqual(span.start);
      }
    }
    expect(new Set(fold.open().map(keyOf))).toEqual(open);
    for (const span of otlpTraces(fold.open(), {}).resourceSpans[0].scopeSpans[0].spans) {
      expect(span).toMatchObject({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/) as string });
    }
  });
  // Shrinking takes minutes.
  fc.assert(property, { endOnFailure: true });
});
