import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineEvent, eventCodec, EventError, isOpaque, type OpaqueEvent } from './index.ts';
import { builtinKinds } from './kinds/index.ts';
import type { AnyEvent } from './kinds/builtin-kinds.ts';
import { anyCharacter } from './testing/index.ts';

const codec = eventCodec(builtinKinds);
const base = { id: 'e0000001', timestamp: '2026-01-01T12:00:00', source: 'user' };
const json = (fields: object): string => JSON.stringify({ ...base, ...fields });
const message = (fields: object): string =>
  json({ llm_message: { role: 'user', content: [], ...fields }, kind: 'MessageEvent' });
const observation = (fields: object): string =>
  json({ tool_name: 't', tool_call_id: 'c', action_id: 'a', observation: fields, kind: 'ObservationEvent' });

function read<Kind extends AnyEvent['kind']>(text: string, kind: Kind): Extract<AnyEvent, { kind: Kind }> {
  const event = codec.decode(text);
  if (event.kind !== kind) throw new Error(`${event.kind} was read, not ${kind}.`);
  return event as Extract<AnyEvent, { kind: Kind }>;
}

function failure(text: string): EventError {
  try {
    codec.decode(text);
  } catch (error) {
    if (error instanceof EventError) return error;
  }
  throw new Error('Nothing failed.');
}

test('declared fields that are null count as absent, at every depth', () => {
  const event = read(
    message({ tool_calls: null, name: null, thinking_blocks: [{ type: 'thinking', thinking: 't', signature: null }] }),
    'MessageEvent',
  );
  expect(event.llm_message).toEqual({
    role: 'user',
    content: [],
    thinking_blocks: [{ type: 'thinking', thinking: 't' }],
  });
});

test('null for a field with a default reads as the default', () => {
  const event = read(
    json({ llm_message: { role: 'user', content: 'x' }, activated_skills: null, kind: 'MessageEvent' }),
    'MessageEvent',
  );
  expect(event.activated_skills).toEqual([]);
});

test('nulls inside free values stay', () => {
  const event = read(
    json({ key: 'k', value: { a: null }, kind: 'ConversationStateUpdateEvent' }),
    'ConversationStateUpdateEvent',
  );
  expect(event.value).toEqual({ a: null });
});

test('an update to null may lack its value, as the reference writes it', () => {
  const event = read(json({ key: 'goal', kind: 'ConversationStateUpdateEvent' }), 'ConversationStateUpdateEvent');
  expect(event.value).toBeNull();
  expect(JSON.parse(codec.encode(event))).toMatchObject({ key: 'goal', value: null });
});

test.for([
  ['a bare string', 'hello', [{ cache_prompt: false, type: 'text', text: 'hello' }]],
  ['null', null, []],
  ['nothing', undefined, []],
])('message content that is %s reads as a list', ([, content, list]) => {
  expect(read(message({ content }), 'MessageEvent').llm_message.content).toEqual(list);
});

test('obsolete settings of messages and texts are removed', () => {
  const legacy = {
    cache_enabled: true,
    vision_enabled: false,
    function_calling_enabled: true,
    force_string_serializer: false,
  };
  const content = [{ type: 'text', text: 'x', enable_truncation: true }];
  const event = read(message({ ...legacy, send_reasoning_content: true, content }), 'MessageEvent');
  expect(event.llm_message).toEqual({
    role: 'user',
    content: [{ cache_prompt: false, type: 'text', text: 'x' }],
    thinking_blocks: [],
  });
});

test('an old observation with string content and without error flag is readable', () => {
  expect(read(observation({ content: 'out', kind: 'X' }), 'ObservationEvent').observation).toEqual({
    content: [{ cache_prompt: false, type: 'text', text: 'out' }],
    is_error: false,
    kind: 'X',
  });
});

test('unknown fields are kept at every level', () => {
  const text = message({ later: [1], content: [{ type: 'text', text: 'x', later: { a: null } }] }).replace(
    '}',
    ',"own":1}',
  );
  const again = codec.encode(codec.decode(json({ ...(JSON.parse(text) as object), newer: { deep: null } })));
  expect(JSON.parse(again)).toMatchObject({
    newer: { deep: null },
    llm_message: { later: [1], content: [{ later: { a: null } }] },
  });
});

test('payloads of unknown kinds are kept unchanged', () => {
  const action = { zeta: null, alpha: [1], kind: 'InventedAction' };
  const tool_call = { id: 'c', name: 't', arguments: '{ }', origin: 'completion' };
  const text = json({
    thought: [],
    action,
    tool_name: 't',
    tool_call_id: 'c',
    tool_call,
    llm_response_id: 'r',
    kind: 'ActionEvent',
  });
  expect(JSON.stringify(read(text, 'ActionEvent').action)).toBe(JSON.stringify(action));
});

test('an enum value of a later version reads as the neutral value', () => {
  const call = {
    thought: [],
    tool_name: 't',
    tool_call_id: 'c',
    tool_call: { id: 'c', name: 't', arguments: '{}', origin: 'realtime' },
    llm_response_id: 'r',
    security_risk: 'EXTREME',
  };
  expect(read(json({ ...call, kind: 'ActionEvent' }), 'ActionEvent')).toMatchObject({
    security_risk: 'UNKNOWN',
    tool_call: { origin: 'completion' },
  });
  const developer = json({ source: 'tool', llm_message: { role: 'developer', content: 'x' }, kind: 'MessageEvent' });
  expect(read(developer, 'MessageEvent')).toMatchObject({ source: 'environment', llm_message: { role: 'user' } });
  const result = { tool_name: 't', tool_call_id: 'c', action_id: 'a' };
  expect(
    read(json({ ...result, rejection_source: 'policy', kind: 'UserRejectObservation' }), 'UserRejectObservation')
      .rejection_source,
  ).toBe('hook');
  const classification = { kind: 'region', retryable: true, user_action: 'travel' };
  expect(
    read(json({ ...result, error: 'No.', classification, kind: 'AgentErrorEvent' }), 'AgentErrorEvent').classification,
  ).toEqual({ kind: 'unknown', retryable: true, user_action: 'none' });
});

test('an unknown kind is opaque, byte for byte', () => {
  const text = ` {"kind": "InventedEvent", "id":"e9", "parent_id":"e8", "source":"hook", "n": 8.0 } `;
  const event = codec.decode(text);
  expect(event).toMatchObject({
    kind: 'OpaqueEvent',
    wireKind: 'InventedEvent',
    id: 'e9',
    parent_id: 'e8',
    source: 'hook',
  });
  expect(event).not.toHaveProperty('problem');
  expect(codec.encode(event)).toBe(text);
});

test.for([
  ['not-json', '{"kind":'],
  ['not-json', ''],
  ['not-an-event', '[]'],
  ['not-an-event', '{"kind":"Unknown"}'],
  ['not-an-event', '{"id":"e1"}'],
  ['invalid', json({ thought: 'x', kind: 'ActionEvent' })],
  ['invalid', json({ source: 7, kind: 'PauseEvent' })],
  ['invalid', observation({ content: [{ type: 'sound' }], is_error: false, kind: 'X' })],
  ['invalid', json({ key: 'k', value: 1, kind: 'ConversationStateUpdateEvent' }).replace(':1', ':1e999')],
  ['invalid', json({ __proto__x: 1, kind: 'PauseEvent' }).replace('__proto__x', '__proto__')],
  [
    'invalid',
    json({ key: 'k', value: 1, kind: 'ConversationStateUpdateEvent' }).replace(
      ':1',
      `:${'['.repeat(1e5)}${']'.repeat(1e5)}`,
    ),
  ],
])('decode fails with %s, and read keeps the text', ([code, text]) => {
  const error = failure(text ?? '');
  expect(error.code).toBe(code);
  const kept = codec.read(text ?? '') as OpaqueEvent;
  expect(isOpaque(kept)).toBe(true);
  expect(kept.problem).toBe(error.message);
  expect(codec.encode(kept)).toBe(text);
});

test('the error of an invalid event names the kind and the field, not the value', () => {
  expect(failure(json({ thought: 'secret', kind: 'ActionEvent' })).message).toMatch(/^ActionEvent .*thought/);
  expect(failure(json({ thought: 'secret', kind: 'ActionEvent' })).message).not.toContain('secret');
});

/** Returns a state update of this many levels, the event included. */
const nested = (levels: number): string =>
  json({ key: 'k', value: 0, kind: 'ConversationStateUpdateEvent' }).replace(
    '"value":0',
    `"value":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}`,
  );

test('an event of 200 levels is typed, one of 201 levels is kept as text', () => {
  expect(codec.read(nested(200)).kind).toBe('ConversationStateUpdateEvent');
  expect(codec.read(nested(201))).toMatchObject({
    kind: 'OpaqueEvent',
    problem: expect.stringContaining('200 levels'),
  });
});

test('a payload may have a field named __proto__', () => {
  const text = observation({ content: [], is_error: false, data: 1, kind: 'X' }).replace('"data"', '"__proto__"');
  expect(codec.encode(codec.decode(text))).toContain('"__proto__":1');
  expect(Object.getPrototypeOf(read(text, 'ObservationEvent').observation)).toBe(Object.prototype);
});

test('a custom kind is typed and read like a built-in one', () => {
  const Beat = defineEvent('Beat', { source: 'environment', fields: () => ({ n: z.number() }) });
  const mine = eventCodec([...builtinKinds, Beat]);
  const event = Beat.create({ n: 1 }, { id: 'e0000001', timestamp: '2026-01-01T12:00:00.000000' });
  const back = mine.decode(mine.encode(event));
  expect(back.kind === 'Beat' && back.n).toBe(1);
  expect(codec.decode(mine.encode(event)).kind).toBe('OpaqueEvent');
});

const fieldNames = fc.constantFrom(
  'kind',
  'id',
  'source',
  'llm_message',
  'content',
  'value',
  '__proto__',
  'observation',
  'key',
  'thought',
);
const kindNames = fc.constantFrom(...builtinKinds.map(({ kind }) => kind), 'OpaqueEvent', 'Other');
const anyJson = fc.jsonValue({ maxDepth: 4 });
const eventLike = fc
  .tuple(
    kindNames,
    fc.dictionary(fc.oneof(fieldNames, fc.string()), fc.oneof(anyJson, fc.dictionary(fieldNames, anyJson))),
  )
  .map(([kind, fields]) => JSON.stringify({ id: 'e0000001', timestamp: 't', source: 'user', ...fields, kind }));
const anyText = fc.oneof(fc.string({ unit: anyCharacter<fc.Arbitrary<string>>(fc) }), fc.json(), eventLike);

/** Decodes with the contract of `read`. Errors other than EventError are rethrown. */
function expected(text: string): { readonly problem?: string; readonly event?: AnyEvent } {
  try {
    return { event: codec.decode(text) };
  } catch (error) {
    if (error instanceof EventError) return { problem: error.message };
    throw error;
  }
}

test('for any text, decode throws an EventError or returns the result of read', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const event = codec.read(text);
      const problem = isOpaque(event) ? event.problem : undefined;
      expect(problem === undefined ? { event } : { problem }).toEqual(expected(text));
    }),
    { numRuns: 500 },
  );
});

test('an opaque event of any text encodes to the text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const event = codec.read(text);
      expect(isOpaque(event) ? codec.encode(event) : text).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test('a decoded event encodes to the same text every time', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const once = codec.encode(codec.read(text));
      expect(codec.encode(codec.read(once))).toBe(once);
    }),
    { numRuns: 500 },
  );
});

test('two kinds with the same name are rejected', () => {
  const note = defineEvent('NoteEvent', { source: 'user', fields: () => ({ note: z.string() }) });
  expect(() => eventCodec([...builtinKinds, note, note])).toThrow(
    new TypeError('Two kinds of event have the name NoteEvent.'),
  );
  expect(() => eventCodec([...builtinKinds, { ...note, kind: 'MessageEvent' }])).toThrow(TypeError);
});
