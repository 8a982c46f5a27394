import { expect, test } from 'vitest';
import { unknownDialect, type Dialect } from '../dialects/dialect.ts';
import type { WireMessage } from './wire-request.ts';
import { wireTurns } from './wire-turns.ts';

function turns(messages: readonly WireMessage[], dialect: Partial<Dialect> = {}): readonly WireMessage[] {
  return wireTurns(messages, { ...unknownDialect, system: 'anywhere', ...dialect });
}

const call = { id: 'call_1', type: 'function', function: { name: 'grep', arguments: '{}' } } as const;
const asked: WireMessage = { role: 'user', content: 'Find x.' };
const calling: WireMessage = { role: 'assistant', content: null, tool_calls: [call] };
const message: WireMessage = { role: 'tool', content: 'line 3', tool_call_id: 'call_1' };
const rules: WireMessage = { role: 'system', content: 'Rules.' };

test('a free dialect changes nothing', () => {
  const messages = [rules, asked, rules, calling, message, asked, asked];
  expect(turns(messages)).toBe(messages);
});

test('system messages at the start are merged, and later ones become user messages', () => {
  const second: WireMessage = { role: 'system', content: 'More.' };
  expect(turns([rules, second, asked, second], { system: 'first' })).toEqual([
    { role: 'system', content: 'Rules.\n\nMore.' },
    asked,
    { role: 'user', content: 'More.' },
  ]);
  expect(turns([rules, asked], { system: 'first' })[0]).toBe(rules);
  expect(turns([rules, second], { system: 'first' })).toHaveLength(1);
});

test("adjacent messages of one role are merged, and the first is the user's", () => {
  const word: WireMessage = { role: 'assistant', content: 'Well.' };
  const parts: WireMessage = { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:x' } }] };
  const alternating = turns([rules, word, calling, message, message, asked, asked, parts], { turns: 'alternating' });
  expect(alternating).toEqual([
    rules,
    { role: 'user', content: 'Please begin.' },
    { role: 'assistant', content: 'Well.', tool_calls: [call] },
    message,
    message,
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Find x.\n\nFind x.' },
        { type: 'image_url', image_url: { url: 'data:x' } },
      ],
    },
  ]);
});

test('texts in parts are joined as one text', () => {
  const parts: WireMessage = { role: 'user', content: [{ type: 'text', text: 'And y.' }] };
  expect(turns([asked, parts], { turns: 'alternating' })).toEqual([{ role: 'user', content: 'Find x.\n\nAnd y.' }]);
});

test("an assistant message separates a result from the user's message", () => {
  expect(turns([calling, message, asked], { afterResults: 'assistant' })).toEqual([
    calling,
    message,
    { role: 'assistant', content: 'I have the results.' },
    asked,
  ]);
});

test('calls and results get the same nine characters, in every request', () => {
  const [first, second] = turns([calling, message], { callIds: 'nine' });
  expect(first?.tool_calls?.[0]?.id).toMatch(/^[0-9a-f]{9}$/);
  expect(second?.tool_call_id).toBe(first?.tool_calls?.[0]?.id);
  expect(turns([message], { callIds: 'nine' })[0]?.tool_call_id).toBe(second?.tool_call_id);
  const fitting: WireMessage = { ...message, tool_call_id: 'aB3456789' };
  expect(turns([fitting], { callIds: 'nine' })).toEqual([fitting]);
});

test('ids that a server rejects become plain ones, in calls and in results; others stay', () => {
  const kimi = 'functions.grep:0';
  const calls = [
    { ...(calling.tool_calls?.[0] ?? { type: 'function', function: { name: 'grep', arguments: '{}' } }), id: kimi },
  ];
  const [first, second] = turns(
    [
      { ...calling, tool_calls: calls },
      { ...message, tool_call_id: kimi },
    ],
    { callIds: 'plain' },
  );
  expect(first?.tool_calls?.[0]?.id).toMatch(/^call_[0-9a-f]{24}$/);
  expect(second?.tool_call_id).toBe(first?.tool_calls?.[0]?.id);
  expect(turns([calling, message], { callIds: 'plain' })).toEqual([calling, message]);
  const long = turns([{ ...message, tool_call_id: 'x'.repeat(41) }], { callIds: 'plain' })[0];
  expect(long?.tool_call_id).toHaveLength(29);
});

test("the last message is not the assistant's", () => {
  const started: WireMessage = { role: 'assistant', content: 'The answer is' };
  expect(turns([asked, started], {})).toEqual([asked, started, { role: 'user', content: 'Please continue.' }]);
  expect(turns([asked, started, asked], {})).toEqual([asked, started, asked]);
});
