import { text, type Content, type Message } from '@varve/events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../model-request.ts';
import { asking } from '../testing/index.ts';
import { requestOf, wireBody } from '../testing/request-of.ts';
import { toWire, type WireSettings } from './to-wire.ts';

const settings: WireSettings = { model: 'm', stream: false, vision: true, host: 'other' };

function message(role: Message['role'], content: readonly Content[], fields: Partial<Message> = {}): Message {
  return { role, content, thinking_blocks: [], ...fields };
}

function calling(...ids: readonly string[]): Message {
  const calls = ids.map((id) => ({ id, name: 'grep', arguments: '{"pattern": "x"}', origin: 'completion' as const }));
  return message('assistant', [], { tool_calls: calls });
}

function result(id: string, content: readonly Content[]): Message {
  return message('tool', content, { tool_call_id: id, name: 'grep' });
}

const image: Content = {
  cache_prompt: false,
  type: 'image',
  image_urls: ['data:image/png;base64,AA', 'https://x.test/b.png'],
};
const grep = {
  name: 'grep',
  description: 'Searches files.',
  parameters: { type: 'object', properties: { pattern: { type: 'string' } }, required: ['pattern'] },
};

const illustrated: readonly Message[] = [
  message('user', [text('What is on these?'), image]),
  calling('a', 'b'),
  result('a', [text('a screenshot'), image]),
  result('b', [image]),
  message('user', [text('And now?')]),
  calling('c'),
  result('c', [image]),
];

const marked: readonly Message[] = [
  message('system', [{ ...text('Static rules.'), cache_prompt: true }, text('Today: Monday.')]),
  message('user', [text('Go.')]),
  calling('a'),
  result('a', [{ ...text('found'), cache_prompt: true }]),
  message('user', [{ ...image, cache_prompt: true }]),
];

const conversation: readonly Message[] = [
  message('system', [text('Be brief.'), text('Use tools.')]),
  message('user', [text('Find x.')]),
  message('assistant', [text('Looking.')], {
    reasoning_content: 'kept out of the request',
    tool_calls: [
      { id: 'a', name: 'grep', arguments: '{"pattern": "x",  "é": 1}', origin: 'completion' },
      { id: 'b', name: 'grep', arguments: '{}', origin: 'completion', extra: { origin: 'm', extra_content: { s: 1 } } },
      {
        id: 'c',
        name: 'grep',
        arguments: '{}',
        origin: 'completion',
        extra: { origin: 'other', extra_content: { s: 2 } },
      },
    ],
    extra: { origin: 'm', reasoning_details: [{ type: 'reasoning.text', text: 'signed', signature: 'abc' }] },
  }),
  ...['a', 'b', 'c'].map((id) => result(id, [text(`result ${id}`)])),
  message('assistant', [text('Done.')]),
  message('user', [text('Thanks.')]),
];

const everything: ModelRequest = {
  messages: conversation,
  tools: [grep],
  parameters: { topP: 0.9, maxOutputTokens: 1000, reasoningEffort: 'low', seed: 7, toolChoice: 'required' },
  cacheKey: 'conversation-1',
};

const cases: Readonly<Record<string, readonly [ModelRequest, WireSettings]>> = {
  plain: [asking('Hi'), settings],
  conversation: [{ ...everything, parameters: {} }, settings],
  'parameters-openai': [
    { ...everything, messages: [] },
    { ...settings, host: 'openai', stream: true },
  ],
  'parameters-other': [
    { ...everything, messages: [] },
    { ...settings, parameters: { temperature: 0, seed: 1 } },
  ],
  images: [asking('', { messages: illustrated }), settings],
  'images-without-vision': [asking('', { messages: illustrated }), { ...settings, vision: false }],
  'cache-marks': [asking('', { messages: marked }), settings],
  'cache-marks-openai': [asking('', { messages: marked }), { ...settings, host: 'openai' }],
};

describe('wire requests', () => {
  test.for(Object.entries(cases))('%s.json holds the request', async ([name, [request, given]]) => {
    const json = `${JSON.stringify(toWire(request, given), null, 2)}\n`;
    await expect(json).toMatchFileSnapshot(`golden/${name}.json`);
  });
});

test('auto is not sent as a tool choice, and no choice is sent without tools', () => {
  const auto = toWire(asking('Hi', { tools: [grep], parameters: { toolChoice: 'auto' } }), settings);
  const toolless = toWire(asking('Hi', { parameters: { toolChoice: 'none' } }), settings);
  expect([Object.keys(auto), Object.keys(toolless)]).toEqual([
    ['model', 'messages', 'tools'],
    ['model', 'messages'],
  ]);
});

test('a tool result over 50,000 characters loses its middle and no character is cut', () => {
  const long = `x${'😀'.repeat(40_000)}`;
  const [, sent] = toWire(asking('', { messages: [calling('a'), result('a', [text(long)])] }), settings).messages;
  expect(sent?.content?.length).toBeLessThanOrEqual(50_000);
  expect(sent?.content).toMatch(/^x😀.*characters left out here.*😀$/su);
  expect(JSON.stringify(sent)).not.toMatch(/\\ud[89a-f]/);
});

test('a long user message is sent whole', () => {
  const [sent] = toWire(asking('y'.repeat(60_000)), settings).messages;
  expect(sent?.content).toBe('y'.repeat(60_000));
});

test('half a surrogate pair is replaced wherever it stands', () => {
  const broken = { ...grep, description: 'cut \uD83D', parameters: { 'key\uDC00': ['\uD800'] } };
  const wire = toWire(asking('cut \uD83D', { tools: [broken] }), settings);
  expect(JSON.stringify(wire).isWellFormed()).toBe(true);
  expect(JSON.stringify(wire)).not.toMatch(/\\ud[89a-f]/);
});

test('a blank text beside calls is sent as null', () => {
  const blank = { ...calling('a'), content: [text(' \n')] };
  expect(toWire(asking('', { messages: [blank] }), settings).messages[0]?.content).toBe(null);
});

test('a message that was sent before is sent as the same bytes', () => {
  const cached: WireSettings = { ...settings, cache: new WeakMap() };
  const requests = [conversation, illustrated, [...illustrated, ...conversation]].map((messages) =>
    asking('', { messages }),
  );
  const again = [...requests, ...requests];
  expect(again.map((request) => toWire(request, cached))).toEqual(again.map((request) => toWire(request, settings)));
});

const words = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => value.trim() !== '');
const call = fc.record({ id: words, name: words, arguments: fc.json(), origin: fc.constant('completion' as const) });
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  words.map((value) => message('user', [text(value)])),
  words.map((value) => message('system', [text(value)])),
  fc
    .tuple(fc.option(words, { nil: '' }), fc.array(call, { minLength: 1, maxLength: 3 }))
    .map(([value, calls]) => message('assistant', value === '' ? [] : [text(value)], { tool_calls: calls })),
  fc.tuple(words, words).map(([id, value]) => message('tool', [text(value)], { tool_call_id: id })),
);

test('a server reads back every message that is sent to it', () => {
  fc.assert(
    fc.property(fc.array(anyMessage), (messages) => {
      const body = wireBody.parse(JSON.parse(JSON.stringify(toWire(asking('', { messages }), settings))));
      expect(requestOf(body).messages).toEqual(messages);
    }),
  );
});
