import { readFile } from 'node:fs/promises';
import { textOf } from '@varve/events';
import { describe, expect, test } from 'vitest';
import type { LlmErrorCode } from '../error.ts';
import type { AssembledModelReply, ReplySettings } from '../protocol/build-reply.ts';
import { chatAssembly } from './assembly.ts';

const settings = { model: 'm', contextWindow: 1000 };

type Fields = Readonly<Record<string, unknown>>;

/** The reply in a response that is not streamed. */
function fromWire(body: unknown, replySettings: ReplySettings): AssembledModelReply {
  const assembly = chatAssembly();
  assembly.push(body);
  assembly.end();
  return assembly.reply(replySettings);
}

function answer(message: Fields, fields: Fields = {}, finish: string | null = 'stop'): Fields {
  return { id: 'r', model: 'm-1', choices: [{ message, finish_reason: finish }], ...fields };
}

function call(id: string | null, name = 'f', json: unknown = '{}'): Fields {
  return { id, type: 'function', function: { name, arguments: json } };
}

test('a recorded reply with a call and cache counts is read', async () => {
  const recorded: unknown = JSON.parse(
    await readFile(new URL('./golden/recorded-reply.json', import.meta.url), 'utf8'),
  );
  const { message, ...reply } = fromWire(recorded, settings);
  expect(reply).toMatchObject({ finish: 'tool-calls', usage: { input_tokens: 4812, output_tokens: 146 } });
  expect(message.tool_calls?.[0]).toMatchObject({ id: 'toolu_01AaHKJphyeTw3GFp4Xgiekv', name: 'str_replace_editor' });
  expect(textOf(message.content)).toMatch(/^I'll create/);
});

test('missing, empty and repeated ids are replaced by new ones', () => {
  let made = 0;
  const newId = (): string => `new${++made}`;
  const calls = [call('a'), call('a'), call(''), call(null), call('null')];
  const { id, message } = fromWire(answer({ tool_calls: calls }, { id: '' }), { ...settings, newId });
  expect([id, ...(message.tool_calls ?? []).map((each) => each.id)]).toEqual([
    'reply_new5',
    'a',
    'call_new1',
    'call_new2',
    'call_new3',
    'call_new4',
  ]);
});

test('a missing model name is that of the request', () => {
  expect(fromWire(answer({ content: 'x' }, { model: null }), settings).model).toBe('m');
});

test('a call contains signed data together with the model that signed it', () => {
  const signed = { ...call('a'), extra_content: { google: { thought_signature: 's' } } };
  const { message } = fromWire(answer({ tool_calls: [signed, call('b')] }), settings);
  expect(message.tool_calls?.map((each) => each.extra)).toEqual([
    { origin: 'm', extra_content: { google: { thought_signature: 's' } } },
    undefined,
  ]);
});

test('reasoning details are on the first call, or on the message when there is none', () => {
  const details = [{ type: 'reasoning.encrypted', data: 'x', index: 0 }];
  const extra = { origin: 'm', reasoning_details: details };
  const signed = { ...call('a'), extra_content: { s: 1 } };
  const calling = fromWire(answer({ tool_calls: [signed, call('b')], reasoning_details: details }), settings).message;
  expect(calling.tool_calls?.map((each) => each.extra)).toEqual([{ ...extra, extra_content: { s: 1 } }, undefined]);
  expect(calling.extra).toBe(undefined);
  expect(fromWire(answer({ content: 'x', reasoning_details: details }), settings).message.extra).toEqual(extra);
});

test('a call in the old form is read', () => {
  const { message, finish } = fromWire(answer({ function_call: { name: 'f', arguments: '{"x":1}' } }), settings);
  expect([message.tool_calls?.[0]?.arguments, finish]).toEqual(['{"x":1}', 'tool-calls']);
});

test('arguments that are not JSON are returned byte for byte', () => {
  const { message } = fromWire(answer({ tool_calls: [call('a', 'f', "{'x': 1,}")] }), settings);
  expect(message.tool_calls?.[0]?.arguments).toBe("{'x': 1,}");
});

test('a refusal is the text of the reply', () => {
  expect(textOf(fromWire(answer({ content: null, refusal: 'I will not.' }), settings).message.content)).toBe(
    'I will not.',
  );
});

test('reasoning alone is a reply without content', () => {
  const { message } = fromWire(answer({ content: '', reasoning: 'hm' }), settings);
  expect(message).toEqual({ role: 'assistant', content: [], reasoning_content: 'hm', thinking_blocks: [] });
});

const finishes: readonly (readonly [string | null, string, string])[] = [
  ['stop', 'stop', 'tool-calls'],
  ['end_turn', 'stop', 'tool-calls'],
  ['EOS', 'stop', 'tool-calls'],
  ['tool_calls', 'stop', 'tool-calls'],
  ['function_call', 'stop', 'tool-calls'],
  ['tool_use', 'stop', 'tool-calls'],
  ['length', 'length', 'length'],
  ['max_tokens', 'length', 'length'],
  ['content_filter', 'content-filter', 'content-filter'],
  ['SAFETY', 'content-filter', 'content-filter'],
  ['', 'unknown', 'tool-calls'],
  [null, 'unknown', 'tool-calls'],
  ['whatever', 'unknown', 'tool-calls'],
];

describe('the finish reason', () => {
  test.for(finishes)('%s is %s with text, %s with calls', ([word, withText, withCalls]) => {
    const finish = fromWire(answer({ content: 'x' }, {}, word), settings).finish;
    const finishWithCalls = fromWire(answer({ tool_calls: [call('a')] }, {}, word), settings).finish;
    expect([finish, finishWithCalls]).toEqual([withText, withCalls]);
  });
});

const failures: readonly (readonly [string, unknown, LlmErrorCode])[] = [
  ['no object', 'hello', 'malformed-reply'],
  ['no choices', { id: 'r' }, 'malformed-reply'],
  ['null choices', { choices: null }, 'malformed-reply'],
  ['empty choices', { choices: [] }, 'malformed-reply'],
  ['a call without a name', answer({ tool_calls: [call('a', '')] }), 'malformed-reply'],
  ['a function call that the provider could not read', answer({}, {}, 'MALFORMED_FUNCTION_CALL'), 'malformed-reply'],
  ['no content', answer({ content: null }), 'empty'],
  ['blank text', answer({ content: ' \n' }), 'empty'],
  ['a reason that promises calls, and none', answer({ content: '' }, {}, 'tool_calls'), 'empty'],
  ['nothing before the limit', answer({ content: '' }, {}, 'length'), 'truncated'],
  ['reasoning up to the limit', answer({ reasoning: 'hm' }, {}, 'length'), 'truncated'],
  ['a full window', answer({}, { usage: { prompt_tokens: 995 } }, 'length'), 'context-overflow'],
  ['a finish reason for a full window', answer({}, {}, 'model_context_window_exceeded'), 'context-overflow'],
  ['nothing but a filter', answer({ content: '' }, {}, 'content_filter'), 'refused'],
  ['an error as the reason', answer({ content: 'half' }, {}, 'error'), 'unavailable'],
];

describe('responses without a usable reply', () => {
  test.for(failures)('%s', ([, failure, code]) => {
    expect(() => fromWire(failure, settings)).toThrow(expect.objectContaining({ name: 'LlmError', code }));
  });
});
