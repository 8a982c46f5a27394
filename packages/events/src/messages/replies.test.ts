import { expect, test } from 'vitest';
import type { BaseEvent } from '../define-event.ts';
import { eventFactory } from '../testing/event-factory.ts';
import { cutPoints } from './cut-points.ts';
import { repliesOf } from './replies.ts';
import { uniqueCallIds } from './provider-rules.ts';

const thinking = { thinking_blocks: [{ type: 'thinking' as const, thinking: 't', signature: 's' }] };
const members = (events: readonly BaseEvent[]) =>
  repliesOf(events).map((reply) => reply.members.toSorted((a, b) => a - b));

test('a reply consists of its calls and of every result that names one', () => {
  const { user, call, result, error } = eventFactory();
  expect(members([user('u'), call('a'), call('b'), result(1), error('a'), result(0), error('a')])).toEqual([
    [1, 2, 3, 4, 5, 6],
  ]);
});

test('a result before its call belongs to it', () => {
  const { call, result, user } = eventFactory();
  const action = call('a');
  expect(members([result(0), user('u'), action])).toEqual([[0, 2]]);
});

test('the second event with an id only adds its index', () => {
  const { call, user } = eventFactory();
  const action = call('a');
  const replies = repliesOf([action, user('u'), action]);
  expect(replies.map(({ calls }) => calls.length)).toEqual([1]);
  expect(replies[0]?.members).toEqual([0, 2]);
});

test.for([
  ['a message', (s: ReturnType<typeof eventFactory>) => [s.call('a'), s.user('u'), s.call('b')], 2],
  ['another reply', (s: ReturnType<typeof eventFactory>) => [s.call('a'), s.call('x', 'other'), s.call('b')], 3],
  ['the last result of a tool', (s: ReturnType<typeof eventFactory>) => [s.call('a'), s.result(0), s.call('b')], 2],
  [
    'an error between its calls, not',
    (s: ReturnType<typeof eventFactory>) => [s.call('a'), s.error('a'), s.call('b')],
    1,
  ],
  [
    'a result while others are open, not',
    (s: ReturnType<typeof eventFactory>) => [s.call('a'), s.call('b'), s.result(0), s.call('c')],
    1,
  ],
] as const)('a reply ends with %s', ([, events, count]) => {
  expect(repliesOf(events(eventFactory())).length).toBe(count);
});

test('call ids are unique even if a generated id exists', () => {
  expect(['a', 'a_2', 'a', 'a', '', ''].map(uniqueCallIds())).toEqual(['a', 'a_2', 'a_3', 'a_4', 'call', 'call_2']);
});

test('thousands of calls with one id are numbered in linear time', () => {
  const { call } = eventFactory();
  const events = Array.from({ length: 9000 }, (_, turn) => call('x', `r${turn}`));
  expect(repliesOf(events).at(-1)?.calls[0]?.wireId).toBe('x_9000');
});

test('a view may be cut everywhere except inside a reply', () => {
  const { prompt, user, call, result, agent } = eventFactory();
  const events = [prompt(), user('u'), call('a'), call('b'), result(0), result(1), agent('x')];
  expect(cutPoints(events)).toEqual([0, 1, 2, 6, 7]);
});

test('an empty view may be cut once', () => {
  expect(cutPoints([])).toEqual([0]);
});

test('nothing may be cut after a pending call', () => {
  const { user, call, result } = eventFactory();
  expect(cutPoints([user('u'), call('a'), call('b'), result(0), user('well?')])).toEqual([0, 1]);
});

test('an abandoned call keeps only its own reply together', () => {
  const { user, call, result, agent } = eventFactory();
  expect(cutPoints([call('a'), user('u'), call('b', 'r2'), result(1)])).toEqual([0, 1, 2, 4]);
  expect(cutPoints([call('c', 'r3'), user('u'), agent('x')])).toEqual([0, 1, 2, 3]);
});

test('a late result keeps the events before it together', () => {
  const { call, user, result, agent } = eventFactory();
  expect(cutPoints([call('a'), user('u'), result(0), agent('x')])).toEqual([0, 3, 4]);
});

test('thinking blocks keep a tool loop together, up to the next thinking block or message', () => {
  const { call, result, user } = eventFactory();
  const loop = [call('a', 'r1', thinking), result(0), call('b', 'r2'), result(1)];
  const next = [call('c', 'r3', thinking), result(2), user('u'), call('d', 'r4'), result(3)];
  expect(cutPoints([...loop, ...next])).toEqual([0, 4, 6, 7, 9]);
});
