import { describe, expect, test } from 'vitest';
import { countedIds } from '../fixture.ts';
import { applyCompaction, shouldIncludeEvent } from '../../src/orxhestra/filters.ts';
import { chatMessageOf, chatMessagesOf, eventOfChatMessage } from '../../src/orxhestra/chat.ts';
import { eventOf, newEvent, newId, noActions, textPart, type Event, type Part } from '../../src/orxhestra/event.ts';
import { propertiesOf } from '../../src/orxhestra/properties.ts';
import { sessionStateOf } from '../../src/orxhestra/session-state.ts';

const call = (id: string): Part => ({
  type: 'tool_call',
  tool_call_id: id,
  tool_name: 'look',
  args: { n: 1 },
  metadata: {},
});
const response = (result: string, error: string | null = null): Part => ({
  type: 'tool_response',
  tool_call_id: 'c1',
  tool_name: 'shell',
  result,
  error,
  metadata: {},
});
const data: Part = { type: 'data', data: { a: 1 }, metadata: {} };
const thinking: Part = { type: 'thinking', thinking: 'Hm.', metadata: {} };

function message(parts: readonly Part[], fields: Partial<Event> = {}): Event {
  return newEvent({ id: 'e', type: 'agent_message', timestamp: 1, content: { role: null, parts }, ...fields });
}

describe('an event of orxhestra', () => {
  test('has the properties of its parts', () => {
    const event = message([textPart('a'), thinking, textPart('b'), data, call('c1'), call('c2')]);
    expect(propertiesOf(event)).toMatchObject({
      text: 'ab',
      thinking: 'Hm.',
      data: { a: 1 },
      toolName: 'look',
      toolInput: { n: 1 },
      hasToolCalls: true,
      toolCalls: [{ tool_call_id: 'c1' }, { tool_call_id: 'c2' }],
    });
    const none = message([]);
    const empty = { text: '', data: null, toolName: null, toolInput: null, error: null, hasToolCalls: false };
    expect(propertiesOf(none)).toMatchObject({ ...empty, isSigned: false });
    expect(propertiesOf({ ...none, signature: 'x' }).isSigned).toBe(false);
    expect(propertiesOf({ ...none, signature: 'x', signer_did: 'did:key:z' }).isSigned).toBe(true);
  });

  test('shows the result of a call, which its text does not contain', () => {
    const event = message([response('total 0')], { type: 'tool_response' });
    expect(propertiesOf(event)).toMatchObject({ text: '', shownText: 'total 0', toolName: 'shell' });
    expect(propertiesOf(message([textPart('a')])).shownText).toBe('a');
    expect(propertiesOf(event).toolResponses).toHaveLength(1);
  });

  test('has the error of its result, or that of the metadata, or its text if they only mark an error', () => {
    expect(propertiesOf(message([textPart('Sorry.')], { metadata: { error: 'No disk.' } })).error).toBe('No disk.');
    expect(propertiesOf(message([response('', 'No.')])).error).toBe('No.');
    expect(propertiesOf(message([textPart('Failed.')], { metadata: { error: true } })).error).toBe('Failed.');
    expect(propertiesOf(message([textPart('Fine.')], { metadata: { error: false } })).error).toBeNull();
  });

  test('has the metadata of ReAct steps and exceptions', () => {
    const metadata = { react_step: 'thought', scratchpad: 'notes', exception_type: 'ValueError', error: true };
    expect(propertiesOf(message([], { metadata }))).toMatchObject({
      reactStep: 'thought',
      scratchpad: 'notes',
      exceptionType: 'ValueError',
    });
    expect(propertiesOf(message([], { metadata: { react_step: 3 } })).reactStep).toBe(3);
    expect(propertiesOf(message([], { metadata: { react_step: {} } })).reactStep).toBeUndefined();
  });

  test.for<readonly [string, Event, 'final' | 'not final']>([
    ['a text', message([textPart('a')]), 'final'],
    ['data', message([data]), 'final'],
    ['calls', message([textPart('a'), call('c1')]), 'not final'],
    ['nothing', message([]), 'not final'],
    ['nothing, but skip_summarization', message([], { actions: { ...noActions, skip_summarization: true } }), 'final'],
    ['a part of a text', message([textPart('a')], { partial: true }), 'not final'],
    ['a ReAct step', message([textPart('a')], { metadata: { react_step: 'thought' } }), 'not final'],
    ['an error', message([textPart('a')], { metadata: { error: true } }), 'not final'],
    ['the text of the user', message([textPart('a')], { type: 'user_message' }), 'not final'],
  ])('with %s is final or not', ([, event, state]) => {
    expect(propertiesOf(event).isFinalResponse).toBe(state === 'final');
  });

  test('is an answer by the documented rule without regard to its metadata', () => {
    expect(propertiesOf(message([], { metadata: { react_step: 'thought' } })).isAnswer).toBe(true);
    expect(propertiesOf(message([call('c1')])).isAnswer).toBe(false);
  });

  test('is read from any JSON, with the defaults of the format', () => {
    expect(
      eventOf({ type: 'agent_start', partial: 'yes', actions: 3, content: { parts: [3, { type: 'video' }] } }),
    ).toEqual(newEvent({ id: '', type: 'agent_start', timestamp: 0 }));
    const whole = message([textPart('a'), thinking, data, call('c1'), response('r', 'e')], {
      actions: {
        ...noActions,
        artifact_delta: { 'a.txt': 1 },
        end_of_agent: true,
        compaction: { start_timestamp: 1, end_timestamp: 2, summary: 's', event_count: 3 },
      },
      llm_response: { text: 'a', model_version: 'm', input_tokens: 1, output_tokens: 2 },
    });
    expect(eventOf(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
    const file = {
      type: 'file',
      uri: null,
      inline_bytes: 'YQ==',
      mime_type: 'text/plain',
      name: 'a.txt',
      metadata: {},
    };
    const parts = [textPart('a'), thinking, data, call('c1'), response('r'), file as Part];
    const marked = message(parts.map((part) => ({ ...part, metadata: { page: 1 } })));
    expect(eventOf(JSON.parse(JSON.stringify(marked)))).toEqual(marked);
    expect([eventOf('x'), eventOf({ type: 'x' })]).toEqual([undefined, undefined]);
    expect(newId()).not.toBe(newId());
  });
});

const at = (timestamp: number): Event => message([textPart(String(timestamp))], { timestamp });

const act = (actions: Partial<Event['actions']>, fields: Partial<Event> = {}): Event =>
  message([], { agent_name: 'coder', actions: { ...noActions, ...actions }, ...fields });

describe('filters of orxhestra', () => {
  test.for<readonly [string, Event, 'seen' | 'not seen']>([
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
    const compacted = { ...at(5), agent_name: 'compaction', actions: { ...noActions, compaction } };
    const result = applyCompaction([at(1), at(2), at(3), at(4), compacted], { newId: countedIds() });
    expect(result.map((event) => [event.type, propertiesOf(event).text])).toEqual([
      ['agent_message', '1'],
      ['agent_message', '4'],
      ['user_message', '[Summary of 2 earlier events]\n\nS'],
    ]);
    expect(applyCompaction([at(1), compacted]).map(({ id }) => id)).toEqual([at(1).id, `${compacted.id}-summary`]);
    const without = [at(1)];
    expect(applyCompaction(without, { newId: countedIds() })).toBe(without);
  });

  test('the state of a session is the fold of its actions, without partial events', () => {
    const events = [
      act({ state_delta: { a: 1, b: { c: 1 } }, artifact_delta: { x: 0 } }),
      act({ state_delta: { a: 9 } }, { partial: true }),
      act({ state_delta: { b: { d: 2 }, ['__proto__']: 1 }, artifact_delta: { x: 1 }, transfer_to_agent: 'poet' }),
      act({ end_of_agent: true }),
      act({ escalate: true }),
    ];
    expect(sessionStateOf(events, { z: 0 })).toEqual({
      state: { z: 0, a: 1, b: { d: 2 }, ['__proto__']: 1 },
      artifacts: { x: 1 },
      activeAgent: 'poet',
      endedAgents: ['coder'],
      isEscalated: true,
    });
    expect(sessionStateOf([])).toMatchObject({ state: {}, activeAgent: null, isEscalated: false });
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
    expect(propertiesOf(events[2] ?? event).toolName).toBe('look');
  });
});
