import { eventFactory } from '@varve/events/testing';
import {
  newOrxhestraEvent,
  orxhestraEventOf,
  orxhestraProperties,
  writeSession,
  type OrxhestraEvent,
  type OrxhestraPart,
} from '@varve/interop/records';
import { describe, expect, test } from 'vitest';
import { chatMessageOf, chatMessagesOf, eventOfChatMessage } from '../src/orxhestra/chat.ts';
import { applyCompaction, shouldIncludeEvent } from '../src/orxhestra/filters.ts';
import { countedIds } from './fixture.ts';

const call = (id: string): OrxhestraPart => ({
  type: 'tool_call',
  tool_call_id: id,
  tool_name: 'look',
  args: { n: 1 },
  metadata: {},
});
const response = (result: string, error: string | null = null): OrxhestraPart => ({
  type: 'tool_response',
  tool_call_id: 'c1',
  tool_name: 'shell',
  result,
  error,
  metadata: {},
});
const textPart = (text: string): OrxhestraPart => ({ type: 'text', text, metadata: {} });
const data: OrxhestraPart = { type: 'data', data: { a: 1 }, metadata: {} };
const thinking: OrxhestraPart = { type: 'thinking', thinking: 'Hm.', metadata: {} };

function message(parts: readonly OrxhestraPart[], fields: Partial<OrxhestraEvent> = {}): OrxhestraEvent {
  return newOrxhestraEvent({ id: 'e', type: 'agent_message', timestamp: 1, content: { role: null, parts }, ...fields });
}

const at = (timestamp: number): OrxhestraEvent => message([textPart(String(timestamp))], { timestamp });

describe('filters of orxhestra', () => {
  test.for<readonly [string, OrxhestraEvent, 'seen' | 'not seen']>([
    ['a message', message([textPart('a')]), 'seen'],
    ['data', message([data]), 'seen'],
    ['calls', message([call('c1')]), 'seen'],
    ['a result', message([response('')], { type: 'tool_response' }), 'seen'],
    ['thinking only', message([thinking]), 'not seen'],
    ['a partial event', message([textPart('a')], { partial: true }), 'not seen'],
    ['a start', message([textPart('a')], { type: 'agent_start' }), 'not seen'],
    ['an end', message([textPart('a')], { type: 'agent_end' }), 'not seen'],
    ['an error', message([textPart('a')], { metadata: { error: true } }), 'not seen'],
    ['notes', message([textPart('a')], { metadata: { scratchpad: 'n' } }), 'not seen'],
  ])('%s is seen by a model or not', ([, event, state]) => {
    expect(shouldIncludeEvent(event)).toBe(state === 'seen');
  });

  test('a compaction replaces the events between its times, both included, by a message in its own place', () => {
    const compaction = { start_timestamp: 2, end_timestamp: 3, summary: 'S', event_count: 2 };
    const compacted = {
      ...at(5),
      agent_name: 'compaction',
      actions: { ...newOrxhestraEvent({ id: '', type: 'agent_message', timestamp: 0 }).actions, compaction },
    };
    const result = applyCompaction([at(1), at(2), at(3), at(4), compacted], { newId: countedIds() });
    expect(result.map((event) => [event.type, orxhestraProperties(event).text])).toEqual([
      ['agent_message', '1'],
      ['agent_message', '4'],
      ['user_message', '[Summary of 2 earlier events]\n\nS'],
    ]);
    expect(applyCompaction([at(1), compacted]).map(({ id }) => id)).toEqual([at(1).id, `${compacted.id}-summary`]);
    const without = [at(1)];
    expect(applyCompaction(without, { newId: countedIds() })).toBe(without);
  });
});

describe('chat messages of orxhestra', () => {
  const event = message([thinking, textPart('I look.'), data, call('c1')]);
  const calls = [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"n":1}' } }];

  test('are as the original makes them: no text next to calls, the first result only', () => {
    expect(chatMessageOf(event)).toEqual({ role: 'assistant', content: '', tool_calls: calls });
    expect(chatMessageOf(message([textPart('Hi.'), data]))).toEqual({ role: 'assistant', content: 'Hi.' });
    const results = message([response('r1'), response('', 'r2')], { type: 'tool_response' });
    expect(chatMessageOf(results)).toEqual({ role: 'tool', content: 'r1', tool_call_id: 'c1' });
    expect(chatMessageOf(message([textPart('Q')], { type: 'user_message' }))).toEqual({ role: 'user', content: 'Q' });
  });

  test('are complete on demand', () => {
    expect(chatMessagesOf(event)).toEqual([
      { role: 'assistant', content: 'I look.\n{"a":1}', tool_calls: calls, reasoning_content: 'Hm.' },
    ]);
    const results = message([response('r1'), response('', 'r2')], { type: 'tool_response' });
    expect(chatMessagesOf(results).map(({ content }) => content)).toEqual(['r1', 'r2']);
    expect(chatMessagesOf(message([], { type: 'agent_end' }))).toEqual([]);
  });

  test('become events with text and calls, and events become the same messages again', () => {
    const stamp = { id: 'e', timestamp: 1, agent_name: 'coder' };
    const messages = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: 'I look.', tool_calls: calls, reasoning_content: 'Hm.' },
      { role: 'tool', content: 'total 0', tool_call_id: 'c1' },
      { role: 'assistant', content: 'Nothing.' },
    ];
    const names = new Map([['c1', 'look']]);
    const events = messages.map((chatMessage) => eventOfChatMessage(chatMessage, stamp, names));
    expect(events.map(({ type, author }) => [type, author])).toEqual([
      ['user_message', 'user'],
      ['agent_message', 'coder'],
      ['tool_response', 'coder'],
      ['agent_message', 'coder'],
    ]);
    expect(events.flatMap(chatMessagesOf)).toEqual(messages);
    expect(orxhestraProperties(events[2] ?? event).toolName).toBe('look');
  });
});

const sessionEvents = ({ events }: Readonly<Record<string, unknown>>) =>
  (events as readonly unknown[]).flatMap((event) => orxhestraEventOf(event) ?? []);

test('a written session has a compaction per range that a condensation forgot', () => {
  const made = eventFactory();
  const [one, two, three] = [made.user('1'), made.agent('2'), made.user('3')];
  const log = [one, two, three, made.condensation([one, two], { text: 'S', offset: 0 })];
  const compacted = applyCompaction(sessionEvents(writeSession(log, { sessionId: 's' }).session), {
    newId: countedIds(),
  });
  expect(compacted.map(({ type, content }) => [type, content.parts[0]])).toEqual([
    ['user_message', textPart('3')],
    ['user_message', textPart('[Summary of 2 earlier events]\n\nS')],
  ]);
  expect(compacted.every((event) => shouldIncludeEvent(event))).toBe(true);
});
