import { eventCodec } from '@varve/events';
import { maskFact } from '@varve/events/facts';
import { builtinKinds, ConversationErrorEvent, ConversationStateUpdateEvent } from '@varve/events/kinds';
import { executionStatuses, foldEvents, statusProjection, type ExecutionStatus } from '@varve/events/projections';
import { eventFactory } from '@varve/events/testing';
import { expect, test } from 'vitest';
import { countsProjection } from '../src/folds/counts.ts';
import { fieldsProjection } from '../src/folds/fields.ts';
import { statusTransitions } from '../src/folds/status-transitions.ts';

const codec = eventCodec(builtinKinds);
const isStatusTransition = (before: ExecutionStatus, after: ExecutionStatus): boolean =>
  statusTransitions.some(({ from, to }) => from.includes(before) && to === after);
const update = ({ stamp }: ReturnType<typeof eventFactory>, key: string, value: unknown) =>
  ConversationStateUpdateEvent.create({ key, value }, stamp());

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
