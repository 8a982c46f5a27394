import { text, type Content, type Message } from '@varve/events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../model-request.ts';
import { userRequest } from '../testing/index.ts';
import { requestOf, wireBody } from '../testing/servers/chat-request.ts';
import { dialectFor } from '../dialects/dialect-rules.ts';
import { unknownDialect, type Dialect } from '../dialects/dialect.ts';
import type { WireSettings } from '../protocol/wire-settings.ts';
import { toWire } from './to-wire.ts';
import type { WireRequest } from './wire-request.ts';

const settings: WireSettings = { model: 'm', stream: false, vision: true, dialect: unknownDialect };
const openAi = dialectFor({ root: 'https://api.openai.com/v1', model: 'm' });

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
  plain: [userRequest('Hi'), settings],
  conversation: [{ ...everything, parameters: {} }, settings],
  'parameters-openai': [
    { ...everything, messages: [] },
    { ...settings, dialect: openAi, stream: true },
  ],
  'parameters-other': [
    { ...everything, messages: [] },
    { ...settings, parameters: { temperature: 0, seed: 1 } },
  ],
  images: [userRequest('', { messages: illustrated }), settings],
  'images-without-vision': [userRequest('', { messages: illustrated }), { ...settings, vision: false }],
  'cache-marks': [
    userRequest('', { messages: marked }),
    { ...settings, dialect: { ...unknownDialect, cacheMarks: true } },
  ],
  'cache-marks-openai': [userRequest('', { messages: marked }), { ...settings, dialect: openAi }],
};

/** One conversation as each provider wants it. */
const providers: Readonly<Record<string, readonly [root: string, model: string]>> = {
  openai: ['https://api.openai.com/v1', 'gpt-5.1'],
  azure: ['https://mine.openai.azure.com/openai/v1', 'gpt-5.1'],
  'openrouter-claude': ['https://openrouter.ai/api/v1', 'anthropic/claude-sonnet-4.5'],
  deepseek: ['https://api.deepseek.com/v1', 'deepseek-v4-pro'],
  kimi: ['https://api.moonshot.ai/v1', 'kimi-k2.5'],
  qwen: ['https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'qwen3-max'],
  glm: ['https://api.z.ai/api/paas/v4', 'glm-4.6'],
  mistral: ['https://api.mistral.ai/v1', 'devstral-medium'],
  groq: ['https://api.groq.com/openai/v1', 'llama-3.3-70b'],
  gemini: ['https://generativelanguage.googleapis.com/v1beta/openai', 'gemini-3-pro'],
  ollama: ['http://localhost:11434/v1', 'qwen3-coder:30b'],
  'vllm-gemma': ['http://localhost:8000/v1', 'google/gemma-3-27b-it'],
};

const providerRequest: ModelRequest = {
  messages: [
    message('system', [text('Static rules.'), text('Today: Monday.')]),
    message('user', [text('Find x.')]),
    message('user', [text('Please.')]),
    {
      ...message('assistant', [], { reasoning_content: 'I should search.' }),
      tool_calls: [{ id: 'call_1', name: 'grep', arguments: '{"pattern":"x"}', origin: 'completion' }],
    },
    result('call_1', [text('x is on line 3')]),
    message('user', [text('And y?')]),
    message('system', [text('Be quick.')]),
    message('assistant', [text('Line 4.')], { reasoning_content: 'I know this.' }),
    message('user', [text('Thanks.')]),
  ],
  tools: [
    {
      ...grep,
      parameters: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          pattern: { type: 'string', minLength: 1 },
          context: { type: ['integer', 'null'], minimum: Number.MIN_SAFE_INTEGER },
          where: { anyOf: [{ const: 'here' }, { $ref: '#/$defs/path' }] },
        },
        required: ['pattern'],
        additionalProperties: false,
        $defs: { path: { type: 'object', properties: { path: { type: 'string' } } } },
      },
    },
  ],
  parameters: { temperature: 0.2, seed: 3, maxOutputTokens: 500, reasoningEffort: 'low' },
  cacheKey: 'conversation-1',
};

describe('a conversation for each provider', () => {
  test.for(Object.entries(providers))('is in provider-%s.json', async ([name, [root, model]]) => {
    const wire = toWire(providerRequest, { model, stream: true, vision: false, dialect: dialectFor({ root, model }) });
    await expect(`${JSON.stringify(wire, null, 2)}\n`).toMatchFileSnapshot(`golden/provider-${name}.json`);
  });
});

describe('wire requests', () => {
  test.for(Object.entries(cases))('%s.json holds the request', async ([name, [request, wireSettings]]) => {
    const json = `${JSON.stringify(toWire(request, wireSettings), null, 2)}\n`;
    await expect(json).toMatchFileSnapshot(`golden/${name}.json`);
  });
});

test('auto is not sent as a tool choice, and no choice is sent without tools', () => {
  const auto = toWire(userRequest('Hi', { tools: [grep], parameters: { toolChoice: 'auto' } }), settings);
  const toolless = toWire(userRequest('Hi', { parameters: { toolChoice: 'none' } }), settings);
  expect([Object.keys(auto), Object.keys(toolless)]).toEqual([
    ['model', 'messages', 'tools'],
    ['model', 'messages'],
  ]);
});

test('a tool result over 50,000 characters loses its middle and no character is cut', () => {
  const long = `x${'😀'.repeat(40_000)}`;
  const [, sent] = toWire(userRequest('', { messages: [calling('a'), result('a', [text(long)])] }), settings).messages;
  expect(sent?.content?.length).toBeLessThanOrEqual(50_000);
  expect(sent?.content).toMatch(/^x😀.*characters left out here.*😀$/su);
  expect(JSON.stringify(sent)).not.toMatch(/\\ud[89a-f]/);
});

test('reasoning details of a first call are sent back to their own model only', () => {
  const details = [{ type: 'reasoning.encrypted', data: 'x' }];
  const [first] = calling('a').tool_calls ?? [];
  const signed = message('assistant', [], {
    tool_calls: first ? [{ ...first, extra: { origin: 'm', reasoning_details: details } }] : [],
  });
  const request = userRequest('', { messages: [signed, result('a', [])] });
  const sent = (changes: Partial<WireSettings>): unknown =>
    toWire(request, { ...settings, ...changes }).messages[0]?.reasoning_details;
  expect(sent({})).toEqual(details);
  expect(sent({ model: 'other' })).toBe(undefined);
  expect(sent({ dialect: { ...unknownDialect, sealedBack: false } })).toBe(undefined);
});

test('reasoning that is always sent back is in every message that has it', () => {
  const dialect = { ...unknownDialect, reasoningBack: 'always', reasoningField: 'reasoning' } as const;
  const messages = [
    message('assistant', [text('a')], { reasoning_content: 'I see.' }),
    calling('b'),
    calling(),
    message('user', [text('c')]),
  ];
  const sent = toWire(userRequest('', { messages }), { ...settings, dialect }).messages;
  expect(sent.map(({ reasoning }) => reasoning)).toEqual(['I see.', '', undefined, undefined]);
});

test('fields that a dialect rejects are left out', () => {
  const without = ['temperature', 'top_p', 'seed', 'effort', 'tool_choice', 'stream_options'] as const;
  const dialect = { ...unknownDialect, without, outputLimit: 'none', parts: false, cacheMarks: true } as const;
  const parameters = { ...everything.parameters, temperature: 1 };
  const wire = toWire(
    { ...everything, messages: [...marked, message('user', [image])], parameters },
    { ...settings, stream: true, dialect },
  );
  expect(Object.keys(wire)).toEqual(['model', 'messages', 'tools', 'stream']);
  expect(wire.messages.every(({ content }) => typeof content !== 'object' || content === null)).toBe(true);
  expect(wire.messages.at(-1)?.content).toContain('(2 images left out');
});

function spelled(effort: Dialect['effort'], reasoningEffort: 'none' | 'high'): WireRequest {
  const request = userRequest('', { messages: [], parameters: { reasoningEffort } });
  return toWire(request, { ...settings, dialect: { ...unknownDialect, effort } });
}

test('the effort has the spelling of the server', () => {
  expect(spelled('reasoning', 'high')).toMatchObject({ reasoning: { effort: 'high' } });
  expect(spelled('reasoning', 'none')).toMatchObject({ reasoning: { enabled: false } });
  expect(spelled('thinking', 'none')).toMatchObject({ thinking: { type: 'disabled' } });
  expect(spelled('enable_thinking', 'high')).toMatchObject({ enable_thinking: true });
});

test('no blank part is sent, and a message without other parts is one text', () => {
  const messages = [
    message('user', [text(' \n'), image]),
    message('system', [text(' '), { ...text('Rules.'), cache_prompt: true }]),
    message('user', [{ ...text(' \n'), cache_prompt: true }]),
  ];
  const dialect = { ...unknownDialect, system: 'anywhere', cacheMarks: true } as const;
  const sent = toWire(userRequest('', { messages }), { ...settings, dialect }).messages;
  const kinds = sent.map(({ content }) => (typeof content === 'object' ? content?.map(({ type }) => type) : content));
  expect(kinds).toEqual([['image_url', 'image_url'], ['text'], ' \n']);
});

test('a long user message is sent whole', () => {
  const [sent] = toWire(userRequest('y'.repeat(60_000)), settings).messages;
  expect(sent?.content).toBe('y'.repeat(60_000));
});

test('half a surrogate pair is replaced in every field', () => {
  const broken = { ...grep, description: 'cut \uD83D', parameters: { 'key\uDC00': ['\uD800'] } };
  const wire = toWire(userRequest('cut \uD83D', { tools: [broken] }), settings);
  expect(JSON.stringify(wire).isWellFormed()).toBe(true);
  expect(JSON.stringify(wire)).not.toMatch(/\\ud[89a-f]/);
});

test('blank text with calls is sent as null, or as an empty string where null is rejected', () => {
  const request = userRequest('', { messages: [{ ...calling('a'), content: [text(' \n')] }] });
  const strict = { ...settings, dialect: { ...unknownDialect, emptyContent: 'text' } } as const;
  expect([settings, strict].map((each) => toWire(request, each).messages[0]?.content)).toEqual([null, '']);
});

test('a message that was sent before is sent as the same bytes', () => {
  const cached: WireSettings = { ...settings, cache: new WeakMap() };
  const requests = [conversation, illustrated, [...illustrated, ...conversation]].map((messages) =>
    userRequest('', { messages, tools: providerRequest.tools }),
  );
  const again = [...requests, ...requests];
  expect(again.map((request) => toWire(request, cached))).toEqual(again.map((request) => toWire(request, settings)));
});

const words = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => value.trim() !== '');
const toolName = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const call = fc.record({ id: words, name: toolName, arguments: fc.json(), origin: fc.constant('completion' as const) });
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  words.map((value) => message('user', [text(value)])),
  words.map((value) => message('system', [text(value)])),
  fc
    .tuple(fc.option(words, { nil: '' }), fc.array(call, { minLength: 1, maxLength: 3 }))
    .map(([value, calls]) => message('assistant', value === '' ? [] : [text(value)], { tool_calls: calls })),
  fc.tuple(words, words).map(([id, value]) => message('tool', [text(value)], { tool_call_id: id })),
);

test('a server reads back every message that is sent to it', () => {
  const free: WireSettings = { ...settings, dialect: { ...openAi, callIds: 'free' } };
  fc.assert(
    fc.property(fc.array(anyMessage), (messages) => {
      const body = wireBody().parse(JSON.parse(JSON.stringify(toWire(userRequest('', { messages }), free))));
      expect(requestOf(body).messages).toEqual(messages);
    }),
  );
});
