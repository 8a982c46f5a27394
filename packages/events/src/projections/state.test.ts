import { expect, test } from 'vitest';
import { eventCodec } from '../codec.ts';
import type { BaseEvent } from '../define-event.ts';
import { approvalFact, callFact, childFact, effectFact, type Call } from '../facts/index.ts';
import { TaskTrackerObservation } from '../payloads/index.ts';
import { builtinKinds } from '../kinds/builtin-kinds.ts';
import { ConversationErrorEvent } from '../kinds/conversation-error-event.ts';
import { ConversationStateUpdateEvent } from '../kinds/conversation-state-update-event.ts';
import { InterruptEvent } from '../kinds/interrupt-event.ts';
import { ObservationEvent } from '../kinds/observation-event.ts';
import { PauseEvent } from '../kinds/pause-event.ts';
import { eventFactory, type EventFactory } from '../testing/event-factory.ts';
import { pendingProjection } from './pending.ts';
import { foldEvents } from '../fold/projection.ts';
import { statsProjection } from './stats.ts';
import { statusProjection, type ExecutionStatus } from './status.ts';
import { taskListProjection } from './task-list.ts';

const codec = eventCodec(builtinKinds);
const pending = (events: readonly BaseEvent[]) => foldEvents(pendingProjection(codec), events);
const status = (events: readonly BaseEvent[]) => foldEvents(statusProjection, events);
const stats = (events: readonly BaseEvent[]) => foldEvents(statsProjection, events);

const aUsage = { input_tokens: 10, output_tokens: 2, cache_read_tokens: 4, cache_write_tokens: 1, reasoning_tokens: 1 };
const aCall: Call = {
  response_id: 'r',
  actions: [],
  usage_id: 'agent',
  model: 'm',
  finish: 'stop',
  usage: aUsage,
  cost_usd: 0.5,
  latency_ms: 100,
  digests: { messages: '', tools: '', parameters: '' },
  projections: {},
  at: 1,
};
const billed = ({ stamp }: EventFactory, fields: Partial<Call> = {}) =>
  callFact.create({ ...aCall, ...fields }, stamp());
const update = ({ stamp }: EventFactory, key: string, value: unknown) =>
  ConversationStateUpdateEvent.create({ key, value }, stamp());

test('a call is pending until its result', () => {
  const { call, result, reject, error } = eventFactory();
  const calls = [call('a'), call('b'), call('c'), call('d')];
  expect(pending([...calls, result(0), reject(1), error('c')]).map(({ event }) => event)).toEqual([calls[3]]);
});

test('an agent error is the result of the oldest pending call with its tool call id only', () => {
  const { call, error, result } = eventFactory();
  const calls = [call('x', 'r1'), call('x', 'r2'), call('x', 'r3')];
  expect(pending([...calls, result(0), error('x'), error('y')]).map(({ event }) => event)).toEqual([calls[2]]);
});

test('a result names its action, regardless of its tool call id', () => {
  const { call, result } = eventFactory();
  const [first, second] = [call('x', 'r1'), call('x', 'r2')];
  expect(pending([first, second, result(1)]).map(({ event }) => event)).toEqual([first]);
});

test('a call that could not be resolved is pending but not executable', () => {
  const { call } = eventFactory();
  const { action: _action, ...invalid } = call('a');
  expect(pending([invalid, call('b')]).map(({ isExecutable }) => isExecutable)).toEqual([false, true]);
});

test('only a call fact of this log proves that an action was not started', () => {
  const make = eventFactory();
  const [a, b, c] = [make.call('a'), make.call('b'), make.call('c')];
  const facts = [billed(make, { actions: [a.id] }), billed(make, { actions: [b.id], inherited: true })];
  expect(pending([...facts, a, b, c]).map(({ wasStoredBeforeStart }) => wasStoredBeforeStart)).toEqual([
    true,
    false,
    false,
  ]);
});

test('an effect means that its action may have started', () => {
  const { call, stamp } = eventFactory();
  const [a, b] = [call('a'), call('b')];
  const effect = effectFact.create({ action_id: b.id, idempotency_key: 'k', at: 1 }, stamp());
  expect(pending([a, b, effect]).map(({ hasEffect }) => hasEffect)).toEqual([false, true]);
  expect(pending([a, b, effect, b]).map(({ hasEffect }) => hasEffect)).toEqual([false, true]);
});

test('an effect of a later version is recognised', () => {
  const make = eventFactory();
  const action = make.call('a');
  const effect = update(make, effectFact.key, {
    action_id: action.id,
    idempotency_key: 'k',
    at: 1,
    sandbox: 'off',
    later: true,
  });
  expect(pending([action, effect])[0]?.hasEffect).toBe(true);
});

test('a call has the digest of its last approval', () => {
  const { call, stamp } = eventFactory();
  const action = call('a');
  const approval = (digest: string) => approvalFact.create({ action_id: action.id, digest, by: 'ann', at: 1 }, stamp());
  expect(pending([action])[0]).not.toHaveProperty('approvedDigest');
  expect(pending([action, approval('1'), approval('2')])[0]?.approvedDigest).toBe('2');
  expect(pending([approval('1'), action])[0]).not.toHaveProperty('approvedDigest');
});

test.for<readonly [ExecutionStatus, string, ExecutionStatus]>([
  ['idle', 'pause', 'paused'],
  ['running', 'pause', 'paused'],
  ['running', 'interrupt', 'paused'],
  ['waiting_for_confirmation', 'pause', 'waiting_for_confirmation'],
  ['finished', 'pause', 'finished'],
  ['finished', 'user', 'idle'],
  ['stuck', 'user', 'idle'],
  ['error', 'user', 'error'],
  ['paused', 'user', 'paused'],
  ['waiting_for_confirmation', 'user', 'waiting_for_confirmation'],
  ['finished', 'framework', 'finished'],
  ['finished', 'agent', 'finished'],
  ['running', 'failure', 'error'],
])('status %s, event %s: status %s', ([before, what, after]) => {
  const make = eventFactory();
  const failure = { code: 'C', detail: 'D', source: 'environment' as const };
  const events: Readonly<Record<string, BaseEvent>> = {
    pause: PauseEvent.create({}, make.stamp()),
    interrupt: InterruptEvent.create({}, make.stamp()),
    failure: ConversationErrorEvent.create(failure, make.stamp()),
    user: make.user('u'),
    agent: make.agent('a'),
    framework: make.framework('f'),
  };
  const event = events[what];
  expect(status([update(make, 'execution_status', before), ...(event ? [event] : [])]).execution).toBe(after);
});

test('a failure is kept until the next change of status', () => {
  const make = eventFactory();
  const failure = ConversationErrorEvent.create({ code: 'C', detail: 'D', source: 'environment' }, make.stamp());
  const confirmed = [failure, update(make, 'execution_status', 'error')];
  expect(status(confirmed).error).toEqual({ code: 'C', detail: 'D' });
  expect(status([...confirmed, update(make, 'execution_status', 'running')])).toEqual({ execution: 'running' });
});

test('title and last user message come from the log; unknown keys and values change nothing', () => {
  const make = eventFactory();
  const message = make.user('u');
  const noise = [update(make, 'execution_status', 'dancing'), update(make, 'title', 7), update(make, 'tags', {})];
  expect(status([update(make, 'title', 'T'), message, make.framework('f'), ...noise])).toEqual({
    execution: 'idle',
    title: 'T',
    lastUserMessageId: message.id,
  });
});

test('usage is summed in total and by usage id', () => {
  const make = eventFactory();
  const { total, byUsageId } = stats([billed(make), billed(make), billed(make, { usage_id: 'condenser' })]);
  expect(total).toEqual({
    calls: 3,
    input_tokens: 30,
    output_tokens: 6,
    cache_read_tokens: 12,
    cache_write_tokens: 3,
    reasoning_tokens: 3,
    cost_usd: 1.5,
    unpriced_calls: 0,
    latency_ms: 300,
  });
  expect([byUsageId['agent']?.calls, byUsageId['condenser']?.calls]).toEqual([2, 1]);
});

test('calls without a price are counted, inherited ones are not', () => {
  const make = eventFactory();
  const { cost_usd: _cost, usage: _usage, ...unpriced } = aCall;
  const { total } = stats([callFact.create(unpriced, make.stamp()), billed(make, { inherited: true })]);
  expect(total).toMatchObject({ calls: 1, unpriced_calls: 1, input_tokens: 0 });
  expect(total).not.toHaveProperty('cost_usd');
});

test('the usage of a child counts once, from its last fact, unless inherited', () => {
  const make = eventFactory();
  const child = (conversation_id: string, calls: number, more: { readonly inherited?: boolean } = {}) => {
    const usage = { ...aUsage, input_tokens: 10 * calls, output_tokens: calls };
    const used = { conversation_id, calls, unpriced_calls: 0, cost_usd: 0.1 * calls, latency_ms: 0, at: 1, usage };
    return childFact.create({ ...used, ...more }, make.stamp());
  };
  const facts = [
    child('a', 0),
    billed(make),
    child('a', 1),
    child('b', 1),
    child('c', 9, { inherited: true }),
    child('a', 3),
  ];
  const { total, byUsageId } = stats(facts);
  expect(total).toMatchObject({ calls: 5, input_tokens: 50 });
  expect(total.cost_usd).toBeCloseTo(0.9, 9);
  expect(Object.entries(byUsageId).map(([id, { calls }]) => [id, calls])).toEqual([
    ['child:a', 3],
    ['agent', 1],
    ['child:b', 1],
  ]);
});

test.for(['__proto__', 'constructor', 'toString'])('a usage id may be %s', (usage_id) => {
  const make = eventFactory();
  const { byUsageId } = stats([billed(make, { usage_id }), billed(make, { usage_id })]);
  expect(Object.entries(byUsageId).map(([id, { calls }]) => [id, calls])).toEqual([[usage_id, 2]]);
});

const foreignMetrics = (prompt_tokens: number) => ({
  usage_to_metrics: {
    agent: { accumulated_cost: 2, accumulated_token_usage: { prompt_tokens, completion_tokens: 5 } },
  },
});

test('call facts add to the stats that the reference stored before them', () => {
  const make = eventFactory();
  const foreign = [update(make, 'stats', foreignMetrics(50)), update(make, 'stats', foreignMetrics(70))];
  expect(stats(foreign).total).toMatchObject({ calls: 0, input_tokens: 70, output_tokens: 5, cost_usd: 2 });
  const later = [...foreign, billed(make), update(make, 'stats', foreignMetrics(999))];
  expect(stats(later).byUsageId['agent']).toMatchObject({ calls: 1, input_tokens: 80, cost_usd: 2.5 });
});

const tracked = ({ stamp }: EventFactory, fields: object) =>
  ObservationEvent.create(
    {
      tool_name: 'task_tracker',
      tool_call_id: 'c',
      action_id: 'a',
      observation: { ...TaskTrackerObservation.create({ command: 'plan' }), ...fields },
    },
    stamp(),
  );

test('the task list is that of the last successful call', () => {
  const make = eventFactory();
  const list = [{ title: 'A', notes: '', status: 'done' }];
  const failed = tracked(make, { task_list: [], is_error: true });
  const broken = tracked(make, { task_list: ['A', 7] });
  expect(foldEvents(taskListProjection, [tracked(make, { task_list: list }), failed, broken])).toEqual(list);
  expect(foldEvents(taskListProjection, [tracked(make, { task_list: [{ title: 'B', status: 'blocked' }] })])).toEqual([
    { title: 'B', notes: '', status: 'todo' },
  ]);
  expect(foldEvents(taskListProjection, [tracked(make, { task_list: [{ title: 'B', notes: null }] })])).toEqual([
    { title: 'B', notes: '', status: 'todo' },
  ]);
  expect(foldEvents(taskListProjection, [tracked(make, { task_list: list }), tracked(make, {})])).toEqual([]);
});
