import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineEvent, eventCodec, text } from '@varve/events';
import { callFact, defineFact, toolsetFact } from '@varve/events/facts';
import {
  ActionEvent,
  AgentErrorEvent,
  builtinKinds,
  Condensation,
  ConversationStateUpdateEvent,
  MessageEvent,
} from '@varve/events/kinds';
import { MCPToolAction } from '@varve/events/payloads';
import { redactor, type Mask } from '@varve/text';
import { maskEvent } from './mask-event.ts';

const maskSecrets = (secrets: readonly string[]): Mask => redactor(secrets, { replacement: '<secret-hidden>' }).value;

const stamp = { id: '00000001', timestamp: '2026-01-01T12:00:00.000000' };
const messageOf = (words: string) =>
  MessageEvent.create({ source: 'user', llm_message: { role: 'user', content: [text(words)] } }, stamp);

test('an event without a secret is returned as it is', () => {
  const event = messageOf('hello');
  expect(maskEvent(event, maskSecrets(['hush-hush']))).toBe(event);
});

test('a secret is masked in every text field, in the same field order', () => {
  const masked = maskEvent(messageOf('it is hush-hush'), maskSecrets(['hush-hush']));
  expect(JSON.stringify(masked)).toBe(JSON.stringify(messageOf('it is <secret-hidden>')));
  expect(Object.isFrozen(masked.llm_message.content)).toBe(true);
});

test('an event stays readable when the secret is a word of the format', () => {
  const masked = maskEvent(messageOf('my password is user'), maskSecrets(['user']));
  const codec = eventCodec(builtinKinds);
  expect(codec.decode(codec.encode(masked))).toMatchObject({
    source: 'user',
    llm_message: { role: 'user', content: [{ text: 'my password is <secret-hidden>' }] },
  });
});

test('a secret in the arguments of a tool is masked under any field name, and as a field name', () => {
  const data = { key: 'hush-hush', status: ['hush-hush'], nested: { id: 'hush-hush', 'hush-hush': 1 } };
  const call = { id: 'c', name: 'put', arguments: JSON.stringify(data), origin: 'completion' as const };
  const event = ActionEvent.create(
    {
      thought: [],
      action: MCPToolAction.create({ data }),
      tool_name: 'put',
      tool_call_id: 'c',
      tool_call: call,
      llm_response_id: 'r',
    },
    stamp,
  );
  const masked = maskEvent(event, maskSecrets(['hush-hush']));
  expect(JSON.stringify(masked)).not.toContain('hush-hush');
  expect(masked.action).toMatchObject({
    kind: 'MCPToolAction',
    data: { status: ['<secret-hidden>'], nested: { '<secret-hidden>': 1 } },
  });
});

test('a secret in the arguments of a client tool is masked under any field name', () => {
  const action = { key: 'hush-hush', id: 'hush-hush', nested: { type: 'hush-hush' }, kind: 'ClientAction_put' };
  const call = { id: 'c', name: 'put', arguments: JSON.stringify(action), origin: 'completion' as const };
  const event = ActionEvent.create(
    { thought: [], action, tool_name: 'put', tool_call_id: 'c', tool_call: call, llm_response_id: 'r' },
    stamp,
  );
  const masked = maskEvent(event, maskSecrets(['hush-hush']));
  expect(JSON.stringify(masked)).not.toContain('hush-hush');
  expect(masked.action?.kind).toBe('ClientAction_put');
});

test('a secret in custom events is masked under any field name except those of the envelope', () => {
  const fields = { key: z.string(), status: z.string(), nested: z.record(z.string(), z.string()) };
  const rating = defineEvent('RatingEvent', { source: 'user', fields: () => fields });
  const note = defineFact('varve.acme.note', () => z.looseObject({ status: z.string() }));
  const mask = maskSecrets(['hush-hush', 'user', 'acme']);
  const event = rating.create({ key: 'hush-hush', status: 'hush-hush', nested: { id: 'hush-hush' } }, stamp);
  const masked = maskEvent(event, mask);
  expect(JSON.stringify(masked)).not.toContain('hush-hush');
  expect(masked).toMatchObject({ id: stamp.id, source: 'user', kind: 'RatingEvent' });
  const hidden = maskEvent(note.create({ status: 'hush-hush', type: 'hush-hush' }, stamp), mask);
  expect(note.read(hidden)).toEqual({ status: '<secret-hidden>', type: '<secret-hidden>' });
});

test('a call and its result have equal call ids, also when the id contains a secret', () => {
  const call = { id: 'my-hush-hush', name: 'put', arguments: '{}', origin: 'completion' as const };
  const named = { tool_name: 'put', tool_call_id: call.id };
  const mask = maskSecrets(['hush-hush']);
  const event = ActionEvent.create({ thought: [], ...named, tool_call: call, llm_response_id: 'r' }, stamp);
  const { tool_call: masked } = maskEvent(event, mask);
  const result = maskEvent(AgentErrorEvent.create({ ...named, error: 'No.' }, stamp), mask);
  expect([masked?.id, result.tool_call_id]).toEqual(['my-<secret-hidden>', 'my-<secret-hidden>']);
});

test('ids of events and digests are not masked, also when they contain a short secret', () => {
  const digest = '1234'.repeat(16);
  const digests = { messages: digest, tools: digest, parameters: digest };
  const fields = {
    actions: ['1234'],
    usage_id: 'agent',
    model: 'm',
    finish: 'stop',
    latency_ms: 0,
    projections: {},
    at: 1,
  };
  const call = callFact.create({ response_id: 'r', message_id: 'm1234', digests, ...fields }, stamp);
  const leaf = ConversationStateUpdateEvent.create({ key: 'leaf_event_id', value: 'e1234' }, stamp);
  const forgotten = Condensation.create({ forgotten_event_ids: ['e1234'], llm_response_id: 'r' }, stamp);
  const mask = maskSecrets(['1234']);
  for (const event of [call, leaf, forgotten]) expect(maskEvent(event, mask)).toEqual(event);
});

test('parameters of a tool that are named like fields of the format are masked', () => {
  const names = ['id', 'key', 'status', 'actions', 'digests', 'forgotten_event_ids'];
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', description: 'hush-hush' }]));
  const parameters = { type: 'object', properties };
  const event = toolsetFact.create({ digest: 'd', tools: [{ name: 'put', description: '', parameters }] }, stamp);
  expect(JSON.stringify(maskEvent(event, maskSecrets(['hush-hush'])))).not.toContain('hush-hush');
});
