import { expect, test } from 'vitest';
import { eventCodec } from '../src/codec.ts';
import type { BaseEvent } from '../src/define-event.ts';
import { InvokeSkillObservation } from '../src/payloads/index.ts';
import {
  foldEvents,
  statsProjection,
  viewProjection,
  blockedProjection,
  skillsProjection,
} from '../src/projections/index.ts';
import { eventFactory } from '../src/testing/index.ts';
import { builtinKinds } from '../src/kinds/builtin-kinds.ts';
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
