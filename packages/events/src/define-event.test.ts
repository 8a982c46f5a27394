import { expect, test } from 'vitest';
import * as z from 'zod';
import { deepFreeze, defineEvent, EventError, text } from './index.ts';
import { ConversationStateUpdateEvent, MessageEvent, PauseEvent } from './kinds/index.ts';
import { TerminalAction } from './payloads/index.ts';

const stamp = { id: 'e0000001', timestamp: '2026-01-01T12:00:00.000000' };
const update = (value: unknown) => ConversationStateUpdateEvent.create({ key: 'k', value }, stamp);

test('a created event is deeply frozen', () => {
  const value = { list: Object.freeze([{ inner: 1 }]) };
  update(value);
  expect(Object.isFrozen(value.list[0])).toBe(true);
});

test('creating rejects unknown fields by name', () => {
  const fields = { key: 'k', value: 1, colour: 'red' };
  expect(() => ConversationStateUpdateEvent.create(fields, stamp)).toThrow(/StateUpdateEvent is not valid: .*colour/);
});

test.for([
  ['id', { ...stamp, id: 'not hex at all' }],
  ['id', { ...stamp, id: '__root__' }],
  ['timestamp', { ...stamp, timestamp: '2026-01-01T12:00:00Z' }],
] as const)('creating rejects an invalid %s', ([field, bad]) => {
  expect(() => PauseEvent.create({}, bad)).toThrow(new RegExp(`field ${field}`));
});

test('a source is required for kinds without a default source', () => {
  const message = { role: 'user' as const, content: [text('hi')] };
  expect(() => MessageEvent.create({ llm_message: message }, stamp)).toThrow(/field source/);
  expect(PauseEvent.create({}, stamp).source).toBe('user');
});

const cycle: { self?: object } = {};
cycle.self = cycle;

test.for([
  ['nested deeper', cycle],
  ['number NaN', Number.NaN],
  ['number Infinity', [Infinity]],
  ['bigint', { n: 1n }],
  ['function', { f: () => 1 }],
  ['undefined', [undefined]],
  ['Date', { at: new Date(0) }],
  ['Map', new Map()],
] as const)('a value that JSON cannot represent is rejected: %s', ([reason, value]) => {
  expect(() => update(value)).toThrow(EventError);
  expect(() => update(value)).toThrow(reason);
});

test('an undefined property counts as absent', () => {
  expect(JSON.stringify(update({ a: undefined }).value)).toBe('{}');
});

test('deepFreeze terminates for a cycle', () => {
  expect(Object.isFrozen(deepFreeze({ cycle }).cycle.self)).toBe(true);
});

test('the error of a payload names the invalid field', () => {
  expect(() => TerminalAction.create({ command: 'ls', timeout: -1 })).toThrow(
    /TerminalAction is not valid: field timeout/,
  );
});

test('kinds narrow the type of events', () => {
  const event = PauseEvent.create({}, stamp);
  expect([PauseEvent.is(event), MessageEvent.is(event)]).toEqual([true, false]);
});

test('reserved names of fields and kinds are rejected', () => {
  for (const field of ['id', 'timestamp', 'source', 'parent_id', 'kind']) {
    const kind = defineEvent('NoteEvent', { source: 'user', fields: () => ({ [field]: z.string() }) });
    expect(() => kind.fields).toThrow(TypeError);
  }
  expect(() => defineEvent('OpaqueEvent', { source: 'user', fields: () => ({}) })).toThrow(TypeError);
});
