import { expect, test } from 'vitest';
import { eventCodec } from '../src/codec.ts';
import type { BaseEvent } from '../src/define-event.ts';
import { maskFact } from '../src/facts/index.ts';
import { InvokeSkillObservation } from '../src/payloads/index.ts';
import {
  executionStatuses,
  foldEvents,
  statsProjection,
  statusProjection,
  viewProjection,
  blockedProjection,
  countsProjection,
  skillsProjection,
  stateProjections,
} from '../src/projections/index.ts';
import { statusTransitions, isStatusTransition } from '../src/projections/status-transitions.ts';
import { foldLog } from '../src/fold/fold-log.ts';
import { fieldsProjection } from '../src/projections/fields.ts';
import { logEntriesOf, eventFactory } from '../src/testing/index.ts';
import { builtinKinds } from '../src/kinds/builtin-kinds.ts';
import { ConversationErrorEvent } from '../src/kinds/conversation-error-event.ts';
import { ConversationStateUpdateEvent } from '../src/kinds/conversation-state-update-event.ts';
import { HookExecutionEvent } from '../src/kinds/hook-execution-event.ts';
import type { MessageEvent } from '../src/kinds/message-event.ts';
import type { ObservationEvent } from '../src/kinds/observation-event.ts';
import type { EventFactory } from '../src/testing/event-factory.ts';

const codec = eventCodec(builtinKinds);
const update = ({ stamp }: EventFactory, key: string, value: unknown) =>
  ConversationStateUpdateEvent.create({ key, value }, stamp());
const view = (events: readonly BaseEvent[]) => foldEvents(viewProjection(codec), events).events;
const hook = ({ stamp }: EventFactory, fields: object, parentId?: string) =>
  HookExecutionEvent.create(
    { hook_event_type: 'UserPromptSubmit', hook_command: 'h', success: true, blocked: true, exit_code: 2, ...fields },
    stamp(parentId),
  );

test('a reply counts once for any number of calls', () => {
  const { user, call, agent, framework } = eventFactory();
  const events = [
    user('a'),
    call('1', 'r1'),
    call('2', 'r1'),
    call('3', 'r2'),
    agent('done'),
    agent('more'),
    framework('f'),
  ];
  expect(foldEvents(countsProjection, events)).toMatchObject({ iterations: 4, toolCalls: 3, userMessages: 1 });
});

test('a repeated reply id after a user message is another reply', () => {
  const { user, call } = eventFactory();
  expect(foldEvents(countsProjection, [call('1', 'r'), user('a'), call('2', 'r')]).iterations).toBe(2);
});

test('calls of replies without an id count separately', () => {
  const { call } = eventFactory();
  expect(foldEvents(countsProjection, [call('1', ''), call('2', '')]).iterations).toBe(2);
});

test('failures, rejections and condensations are counted separately', () => {
  const { call, error, reject, condensation, stamp } = eventFactory();
  const failed = ConversationErrorEvent.create({ source: 'environment', code: 'X', detail: '' }, stamp());
  const events = [call('1'), call('2'), error('1'), reject(1), condensation([]), condensation([]), failed];
  expect(foldEvents(countsProjection, events)).toEqual({
    iterations: 1,
    userMessages: 0,
    toolCalls: 2,
    callErrors: 1,
    rejections: 1,
    runErrors: 1,
    condensations: 2,
  });
});

test('a field has the value of its last update', () => {
  const make = eventFactory();
  const events = [update(make, 'tags', { a: '1' }), update(make, 'tags', { a: '2' }), update(make, 'x', null)];
  expect([...foldEvents(fieldsProjection, events)]).toEqual([
    ['tags', { a: '2' }],
    ['x', null],
  ]);
});

test('a full state sets every field it has, and facts set none', () => {
  const make = eventFactory();
  const full = update(make, 'full_state', { max_iterations: 5, title: 'T', execution_status: 'running' });
  const mask = maskFact.create({ event_ids: [], text: '' }, make.stamp());
  expect(Object.fromEntries(foldEvents(fieldsProjection, [full, mask]))).toEqual({
    max_iterations: 5,
    title: 'T',
    execution_status: 'running',
  });
  expect(foldEvents(statusProjection, [full])).toMatchObject({ execution: 'running', title: 'T' });
});

test('the stats of a full state count its calls and their latencies', () => {
  const make = eventFactory();
  const tokens = { prompt_tokens: 30, completion_tokens: 5 };
  const latencies = [
    { model: 'm', latency: 1.5 },
    { model: 'm', latency: 0.5 },
  ];
  const agent = { accumulated_cost: 0.25, accumulated_token_usage: tokens, response_latencies: latencies };
  const full = update(make, 'full_state', { stats: { usage_to_metrics: { agent } } });
  const expected = { calls: 2, latency_ms: 2000, cost_usd: 0.25, input_tokens: 30, output_tokens: 5 };
  expect(foldEvents(statsProjection, [full]).total).toMatchObject(expected);
});

test('skills are collected from messages, results and updates, each once', () => {
  const make = eventFactory();
  const message = { ...make.user('a'), activated_skills: ['pdf', 'git', 'pdf'] } as MessageEvent;
  make.call('1');
  const loaded = (fields: object) =>
    ({
      ...make.result(0),
      observation: InvokeSkillObservation.create({ skill_name: 'xlsx', ...fields }),
    }) as ObservationEvent;
  const events = [
    message,
    loaded({}),
    loaded({ skill_name: 'no', is_error: true }),
    update(make, 'activated_knowledge_skills', ['git', 'npm']),
    update(make, 'activated_path_rules', ['agents:docs']),
    update(make, 'invoked_skills', 'nonsense'),
  ];
  expect(foldEvents(skillsProjection, events)).toEqual({
    activated: ['pdf', 'git', 'npm'],
    invoked: ['xlsx'],
    pathRules: ['agents:docs'],
  });
});

test('a blocked event has the reason of the hook', () => {
  const make = eventFactory();
  const events = [
    hook(make, { action_id: 'a1', reason: 'no' }),
    hook(make, { message_id: 'm1' }),
    hook(make, { message_id: 'm2', blocked: false }),
  ];
  const { actions, messages } = foldEvents(blockedProjection, events);
  expect([...actions]).toEqual([['a1', 'no']]);
  expect([...messages.keys()]).toEqual(['m1']);
});

test('blocked ids are copied once after a read, not for each block', () => {
  const make = eventFactory();
  const state = blockedProjection.initial();
  const { actions } = blockedProjection.apply(state, hook(make, { action_id: 'a1' }), 0);
  expect(blockedProjection.apply(state, hook(make, { action_id: 'a2' }), 1).actions).toBe(actions);
  const read = blockedProjection.read(state);
  blockedProjection.apply(state, hook(make, { action_id: 'a3' }), 2);
  expect([...read.actions.keys()]).toEqual(['a1', 'a2']);
  expect([...blockedProjection.read(state).actions.keys()]).toEqual(['a1', 'a2', 'a3']);
});

test('an update replaces all blocked ids', () => {
  const make = eventFactory();
  const events = [hook(make, { action_id: 'a1' }), update(make, 'blocked_actions', { a2: 'why' })];
  expect([...foldEvents(blockedProjection, events).actions]).toEqual([['a2', 'why']]);
});

test('a blocked message is never in the view, in either order', () => {
  const make = eventFactory();
  const [kept, late, early] = [make.user('kept'), make.user('late'), make.user('early')];
  expect(view([kept, late, hook(make, { message_id: late.id })])).toEqual([kept]);
  expect(view([hook(make, { message_id: early.id }), kept, early])).toEqual([kept]);
  expect(view([kept, late, update(make, 'blocked_messages', { [late.id]: 'no' })])).toEqual([kept]);
  expect(view([kept, hook(make, { message_id: kept.id, blocked: false })])).toEqual([kept]);
});

test('an action with the id of a blocked message stays', () => {
  const make = eventFactory();
  const action = make.call('1');
  expect(foldEvents(viewProjection(codec), [action, hook(make, { message_id: action.id })]).events).toEqual([action]);
});

test('a blocked message stays out after a snapshot', () => {
  const make = eventFactory();
  const message = make.user('blocked');
  const projection = viewProjection(codec);
  const before = projection.apply(projection.initial(), hook(make, { message_id: message.id }), 0);
  const after = projection.apply(projection.decode(projection.encode(before)), message, 1);
  expect(projection.read(after).events).toEqual([]);
});

test.for([
  ['idle', 'running'],
  ['running', 'waiting_for_confirmation'],
  ['waiting_for_confirmation', 'running'],
  ['waiting_for_confirmation', 'idle'],
  ['finished', 'idle'],
  ['running', 'stuck'],
  ['stuck', 'error'],
  ['running', 'deleting'],
] as const)('%s may become %s', ([from, to]) => {
  expect(isStatusTransition(from, to)).toBe(true);
});

test.for([
  ['idle', 'finished'],
  ['finished', 'paused'],
  ['waiting_for_confirmation', 'paused'],
  ['paused', 'idle'],
  ['error', 'idle'],
  ['deleting', 'idle'],
  ['idle', 'stuck'],
  ['idle', 'idle'],
] as const)('%s may not become %s', ([from, to]) => {
  expect(isStatusTransition(from, to)).toBe(false);
});

test('every status can be entered, and all but deleting can be left', () => {
  expect(new Set(statusTransitions.map(({ to }) => to))).toEqual(new Set(executionStatuses));
  const exits = executionStatuses.filter((status) => statusTransitions.some(({ from }) => from.includes(status)));
  expect(exits).toEqual(executionStatuses.filter((status) => status !== 'deleting'));
});

test('an update performs every transition of the table', () => {
  const make = eventFactory();
  for (const { from, to } of statusTransitions) {
    for (const start of from) {
      const events = [update(make, 'execution_status', start), update(make, 'execution_status', to)];
      expect(foldEvents(statusProjection, events).execution).toBe(to);
    }
  }
});

test('messages and pauses perform only transitions of the table', () => {
  const make = eventFactory();
  const ends = executionStatuses.flatMap((start) => {
    const at = update(make, 'execution_status', start);
    return [make.user('m'), codec.decode('{"id":"e0000001","timestamp":"t","source":"user","kind":"PauseEvent"}')].map(
      (event) => [start, foldEvents(statusProjection, [at, event]).execution] as const,
    );
  });
  expect(ends.filter(([start, end]) => start !== end && !isStatusTransition(start, end))).toEqual([]);
});

test('a fold over a log yields the fold of each prefix', async () => {
  const { user, call, result, agent } = eventFactory();
  const log = logEntriesOf(codec, [user('a'), call('1', 'r1'), result(0), agent('done')]);
  const seen: unknown[] = [];
  for await (const { entry, event, timeline } of foldLog((from) => log.slice(from), {
    codec,
    projections: stateProjections(codec),
  })) {
    const { iterations } = timeline.read('counts');
    seen.push([
      entry.seq,
      event.kind,
      iterations,
      timeline.read('pending').length,
      timeline.read('view').events.length,
    ]);
  }
  expect(seen).toEqual([
    [0, 'MessageEvent', 0, 0, 1],
    [1, 'ActionEvent', 1, 1, 2],
    [2, 'ObservationEvent', 1, 0, 3],
    [3, 'MessageEvent', 2, 0, 4],
  ]);
});

test('a fold over a log follows the head to another branch', async () => {
  const make = eventFactory();
  const [a, b] = [make.user('a'), make.user('b')];
  const back = update(make, 'leaf_event_id', a.id);
  const log = logEntriesOf(codec, [a, b, back]);
  const views: number[] = [];
  for await (const { timeline } of foldLog((from) => log.slice(from), {
    codec,
    projections: stateProjections(codec),
  })) {
    views.push(timeline.read('view').events.length);
  }
  expect(views).toEqual([1, 2, 1]);
});
