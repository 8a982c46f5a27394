import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Delta } from '../delta.ts';
import { openaiResponses } from '../responses/openai-responses.ts';
import { userRequest, scriptedResponses, scriptedServer } from '../testing/index.ts';
import { openaiChat } from '../chat/openai-chat.ts';
import { toolNameLookup, wireName } from './tool-names.ts';

function tools(...names: readonly string[]) {
  return names.map((name) => ({ name, description: '', parameters: { type: 'object', properties: {} } }));
}

test('every wire name is accepted, accepted names stay, and each is reversed to the original', () => {
  const names = fc.uniqueArray(fc.oneof(fc.string(), fc.string({ minLength: 60, maxLength: 80 })), { maxLength: 6 });
  fc.assert(
    fc.property(names, (all) => {
      const lookup = toolNameLookup(tools(...all));
      for (const name of all) {
        expect(wireName(name)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(lookup(wireName(name))).toBe(name);
      }
    }),
  );
  expect(wireName('a'.repeat(64))).toBe('a'.repeat(64));
  expect(wireName('server.tool')).toMatch(/^server_tool_[0-9a-f]{8}$/);
});

test.for([
  ['functions.grep', 'grep'],
  ['grep<|channel|>commentary', 'grep'],
  ['functions.grep:0', 'grep'],
  [' grep ', 'grep'],
  ['grep:0', 'grep:0'],
  ['functions.sed', 'functions.sed'],
] as const)('%j is the name of the tool %j', ([name, toolName]) => {
  const offered = toolName === 'grep:0' ? tools('grep', 'grep:0') : tools('grep');
  expect(toolNameLookup(offered)(name === 'grep:0' ? wireName(name) : name)).toBe(toolName);
});

test.for([' ', '\n', '\u00A0', '\t \n', ':1', ':', '<|', '<', 'functions.', '1', ' :1'])(
  'a name with 300,000 characters of %j is read in a moment, and names no tool',
  { timeout: 5000 },
  (unit) => {
    const filler = unit.repeat(300_000 / unit.length);
    for (const name of [filler, `grep${filler}x`, `${filler}grep${filler}`, `functions.${filler}x`]) {
      expect(toolNameLookup(tools('grep'))(name) === name).toBe(true);
    }
  },
);

const long = `mcp.server/${'very_'.repeat(20)}long`;

describe.for([
  ['chat', scriptedServer, openaiChat],
  ['responses', scriptedResponses, openaiResponses],
] as const)('over %s', ([, serve, adapter]) => {
  test('a tool of any name has its own name in the reply, its deltas and the history', async () => {
    const call = { id: 'a', name: wireName(long), arguments: '{}' };
    await using server = await serve([{ calls: [call] }, { text: 'Done.' }]);
    const model = adapter({ model: 'm', baseUrl: server.url });
    const deltas: Delta[] = [];
    const request = userRequest('Hi', { tools: tools(long) });
    const { message } = await model.generate(request, { onDelta: (delta) => void deltas.push(delta) });
    expect(message.tool_calls?.map(({ name }) => name)).toEqual([long]);
    expect(
      deltas.flatMap((delta) => (delta.kind === 'tool-call' && delta.name !== undefined ? [delta.name] : [])),
    ).toEqual([long]);
    const result = { role: 'tool', tool_call_id: 'a', name: long, content: [], thinking_blocks: [] } as const;
    await model.generate({ ...request, messages: [...request.messages, message, result] });
    for (const { text } of server.requests) expect(text).not.toContain(long);
    expect(server.requests[1]?.text.split(wireName(long)).length).toBe(3);
  });
});
