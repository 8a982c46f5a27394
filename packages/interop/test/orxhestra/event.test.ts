import { describe, expect, test } from 'vitest';
import { eventOf, newEvent, noActions, textPart, type Event, type Part } from '../../src/orxhestra/event.ts';
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
  });
});

const act = (actions: Partial<Event['actions']>, fields: Partial<Event> = {}): Event =>
  message([], { agent_name: 'coder', actions: { ...noActions, ...actions }, ...fields });

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
