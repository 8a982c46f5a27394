import { text, type Message } from '@varve/events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../model-request.ts';
import { schemaLevels, unknownDialect, type Dialect } from '../dialects/dialect.ts';
import { openaiChat } from './openai-chat.ts';
import { toWire } from './to-wire.ts';
import type { WireMessage, WireRequest } from './wire-request.ts';

/** What a strict server rejects, and how it words that; each is a way that servers are known to differ. */
const objections: Readonly<Record<string, (body: WireRequest) => string | false>> = {
  limit: (body) => 'max_tokens' in body && "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
  temperature: (body) => 'temperature' in body && 'temperature is not supported with this model.',
  seed: (body) => 'seed' in body && 'Unrecognized request argument supplied: seed',
  effort: (body) => 'reasoning_effort' in body && 'Unknown parameter: reasoning_effort',
  usage: (body) => 'stream_options' in body && 'stream_options: Extra inputs are not permitted',
  stream: (body) => 'stream' in body && 'Streaming is not supported for this model.',
  null: ({ messages }) => messages.some(({ content }) => content === null) && 'content must not be null',
  parts: ({ messages }) => messages.some(({ content }) => Array.isArray(content)) && 'content: expected a string',
  turns: ({ messages }) => hasTwins(messages) && 'Conversation roles must alternate user/assistant/user/assistant',
  reasoning: ({ messages }) =>
    messages.some((each) => each.tool_calls && each.reasoning_content === undefined) &&
    'reasoning_content is missing in assistant tool call message',
  ids: ({ messages }) =>
    messages.some(({ tool_call_id: id }) => id !== undefined && !/^[A-Za-z0-9]{9}$/.test(id)) &&
    'Tool call id must be a-z, A-Z, 0-9, with a length of 9.',
  after: ({ messages }) =>
    messages.some(({ role }, index) => role === 'user' && messages[index - 1]?.role === 'tool') &&
    "Unexpected role 'user' after role 'tool'",
  schema: ({ tools = [] }) => JSON.stringify(tools).includes('anyOf') && "Invalid schema for function 'grep': anyOf",
};

function hasTwins(messages: readonly WireMessage[]): boolean {
  return messages.some(({ role }, index) => role !== 'tool' && role === messages[index - 1]?.role);
}

const call = { id: 'call_1', name: 'grep', arguments: '{}', origin: 'completion' } as const;
const image = { type: 'image', image_urls: ['data:image/png;base64,AA'], cache_prompt: false } as const;
const history: readonly Message[] = [
  { role: 'system', content: [text('Rules.')], thinking_blocks: [] },
  { role: 'user', content: [text('Find x.'), image], thinking_blocks: [] },
  { role: 'user', content: [text('Please.')], thinking_blocks: [] },
  { role: 'assistant', content: [], tool_calls: [call], thinking_blocks: [] },
  { role: 'tool', tool_call_id: 'call_1', content: [text('found'), image], thinking_blocks: [] },
  { role: 'user', content: [text('And y?')], thinking_blocks: [] },
];
const full: ModelRequest = {
  messages: history,
  tools: [
    {
      name: 'grep',
      description: 'Searches.',
      parameters: { type: 'object', properties: { where: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } },
    },
  ],
  parameters: { temperature: 0, seed: 1, maxOutputTokens: 9, reasoningEffort: 'low' },
};

/** Answers when it has no objection, and counts the requests. */
function strict(names: readonly string[]) {
  const bodies: WireRequest[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const body = (await new Request(url, init).json()) as WireRequest;
    bodies.push(body);
    const message = names.map((name) => objections[name]?.(body)).find(Boolean);
    const headers = { 'content-type': 'application/json' };
    if (message) return new Response(JSON.stringify({ error: { message } }), { status: 400, headers });
    const choices = [{ index: 0, message: { content: 'Hello.' }, finish_reason: 'stop' }];
    return new Response(JSON.stringify({ id: 'r', choices }), { headers });
  };
  return { bodies, fetch };
}

const options = { model: 'm', baseUrl: 'http://x.test', vision: true, stream: true } as const;

describe('a server that rejects', () => {
  test.for(Object.keys(objections))('%s is understood', async (name) => {
    const { fetch } = strict([name]);
    expect((await openaiChat({ ...options, fetch }).generate(full)).finish).toBe('stop');
  });

  test('each workaround takes one request, and later requests need none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(Object.keys(objections)), async (names) => {
        const { bodies, fetch } = strict(names);
        const model = openaiChat({ ...options, fetch });
        const { attempts } = await model.generate(full);
        // Schemas have levels: the last keyword that is removed may be inside one that is removed first.
        expect(attempts).toBeLessThanOrEqual(names.length + 4);
        expect((await model.generate(full)).attempts).toBe(1);
        expect(bodies).toHaveLength(attempts + 1);
      }),
      { numRuns: 60 },
    );
  });
});

const dialects: fc.Arbitrary<Dialect> = fc.record({
  outputLimit: fc.constantFrom('max_tokens', 'max_completion_tokens', 'none'),
  system: fc.constantFrom('anywhere', 'first'),
  turns: fc.constantFrom('free', 'alternating'),
  afterResults: fc.constantFrom('free', 'assistant'),
  callIds: fc.constantFrom('free', 'plain', 'nine'),
  emptyContent: fc.constantFrom('null', 'text'),
  parts: fc.boolean(),
  imageUrls: fc.boolean(),
  cacheMarks: fc.boolean(),
  cacheKey: fc.boolean(),
  resultNames: fc.boolean(),
  reasoningBack: fc.constantFrom('never', 'with-calls', 'always'),
  reasoningField: fc.constantFrom('reasoning_content', 'reasoning'),
  thinkTags: fc.constantFrom('never', 'leading', 'opened'),
  sealedBack: fc.boolean(),
  effort: fc.constantFrom('reasoning_effort', 'reasoning', 'thinking', 'enable_thinking'),
  streams: fc.boolean(),
  cutsPrompts: fc.boolean(),
  asksForCost: fc.boolean(),
  schema: fc.constantFrom(...schemaLevels),
  without: fc.subarray(['temperature', 'top_p', 'seed', 'effort', 'tool_choice', 'stream_options']),
});

const legal = fc
  .array(
    fc.record({
      asked: fc.integer({ min: 0, max: 2 }),
      words: fc.constantFrom('', 'Well.'),
      calls: fc.integer({ min: 0, max: 3 }),
      isLate: fc.boolean(),
      isMarked: fc.boolean(),
    }),
    { maxLength: 6 },
  )
  .map((turns) => [...history.slice(0, 2), ...turns.flatMap(turnOf)]);

function turnOf(
  {
    asked,
    words,
    calls,
    isLate,
    isMarked,
  }: { asked: number; words: string; calls: number; isLate: boolean; isMarked: boolean },
  turn: number,
): readonly Message[] {
  const made = Array.from({ length: calls }, (_, index) => ({ ...call, id: `call_${turn}_${index}` }));
  const replyText = words === '' && calls === 0 ? 'Yes.' : words;
  return [
    ...Array.from({ length: asked }, (): Message => ({
      role: 'user',
      content: [{ ...text('Continue.'), cache_prompt: isMarked }, image],
      thinking_blocks: [],
    })),
    ...(isLate ? [{ role: 'system', content: [text('Be quick.')], thinking_blocks: [] } as const] : []),
    {
      role: 'assistant',
      content: replyText === '' ? [] : [text(replyText)],
      ...(calls > 0 && { tool_calls: made }),
      thinking_blocks: [],
    },
    ...made.map(({ id }): Message => ({
      role: 'tool',
      tool_call_id: id,
      name: 'grep',
      content: [text('found'), image],
      thinking_blocks: [],
    })),
  ];
}

test('in every dialect, each call is followed by its results, and no rule of the dialect is broken', () => {
  fc.assert(
    fc.property(dialects, legal, (dialect, messages) => {
      const wire = toWire({ ...full, messages }, { model: 'm', stream: true, vision: true, dialect });
      const sent = wire.messages;
      for (const [index, { tool_calls: calls = [] }] of sent.entries()) {
        const results = sent.slice(index + 1, index + 1 + calls.length);
        expect(results.map(({ tool_call_id: id }) => id)).toEqual(calls.map(({ id }) => id));
      }
      const parts = sent.flatMap(({ content }) => (typeof content === 'object' && content !== null ? content : []));
      expect(parts.filter((part) => part.cache_control).length).toBeLessThanOrEqual(dialect.cacheMarks ? 4 : 0);
      const broken = {
        parts: !dialect.parts && parts.length > 0,
        turns: dialect.turns === 'alternating' && hasTwins(sent),
        system: dialect.system === 'first' && sent.filter(({ role }) => role === 'system').length !== 1,
        empty: dialect.emptyContent === 'text' && sent.some(({ content }) => content === null),
        after: dialect.afterResults === 'assistant' && objections['after']?.(wire) !== false,
        ids: dialect.callIds === 'nine' && objections['ids']?.(wire) !== false,
      };
      expect(Object.entries(broken).filter(([, isBroken]) => isBroken)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('dialects differ in the requests of the property tests', () => {
  const wire = toWire(full, { model: 'm', stream: true, vision: true, dialect: unknownDialect });
  const objected = Object.entries(objections).filter(([, objection]) => objection(wire));
  expect(objected.map(([name]) => name)).toEqual(Object.keys(objections));
});
