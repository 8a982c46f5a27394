import { expect, test } from 'vitest';
import { ActionEvent, builtinKinds, eventCodec, MessageEvent, text } from '@varve/events';
import { MCPToolAction } from '@varve/events/payloads';
import { maskSecrets } from '@varve/tools';
import { maskEvent } from './mask-event.ts';

const stamp = { id: '00000001', timestamp: '2026-01-01T12:00:00.000000' };
const said = (words: string) =>
  MessageEvent.create({ source: 'user', llm_message: { role: 'user', content: [text(words)] } }, stamp);

test('an event without a secret is given back as it is', () => {
  const event = said('hello');
  expect(maskEvent(event, maskSecrets(['hush-hush']))).toBe(event);
});

test('a secret is hidden wherever text may stand, in the same field order', () => {
  const masked = maskEvent(said('it is hush-hush'), maskSecrets(['hush-hush']));
  expect(JSON.stringify(masked)).toBe(JSON.stringify(said('it is <secret-hidden>')));
  expect(Object.isFrozen(masked.llm_message.content)).toBe(true);
});

test('a secret that is a word of the format leaves an event that can be read', () => {
  const masked = maskEvent(said('my password is user'), maskSecrets(['user']));
  const codec = eventCodec(builtinKinds);
  expect(codec.decode(codec.encode(masked))).toMatchObject({
    source: 'user',
    llm_message: { role: 'user', content: [{ text: 'my password is <secret-hidden>' }] },
  });
});

test('a secret in the arguments of a tool is hidden under any name, and as a name', () => {
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
