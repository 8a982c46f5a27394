import { expect, test } from 'vitest';
import type { Delta } from '../delta.ts';
import type { ToolSpec } from '../model-request.ts';
import { userRequest, scriptedServer, type ScriptedCall } from '../testing/index.ts';
import { openaiChat } from '../chat/openai-chat.ts';

const tools: readonly ToolSpec[] = ['grep', 'files.read'].map((name) => ({
  name,
  description: '',
  parameters: { type: 'object', properties: {} },
}));
const grep = { name: 'grep', arguments: { pattern: 'x' } };

/** Returns the calls of a reply, and their deltas. */
async function read(calls: readonly ScriptedCall[]) {
  await using server = await scriptedServer([{ calls }]);
  const deltas: Delta[] = [];
  const model = openaiChat({ model: 'm', baseUrl: server.url });
  const { message } = await model.generate(userRequest('Go', { tools }), { onDelta: (delta) => deltas.push(delta) });
  const made = message.tool_calls ?? [];
  const streamed = made.map((_call, at) => {
    const pieces = deltas.flatMap((delta) => (delta.kind === 'tool-call' && delta.index === at ? [delta] : []));
    return [pieces[0]?.name, pieces.map(({ arguments: json }) => json).join('')];
  });
  return { made, streamed, deltas };
}

test('a parallel call is expanded, in the reply and in the stream', async () => {
  const both = [
    { recipient_name: 'functions.grep', parameters: { pattern: 'y' } },
    { recipient_name: 'functions.files.read', parameters: {} },
  ];
  const { made, streamed } = await read([
    grep,
    { name: 'multi_tool_use.parallel', arguments: { tool_uses: both }, id: 'p' },
    { name: 'grep', arguments: { pattern: 'z' } },
  ]);
  const expected = [
    ['grep', '{"pattern":"x"}'],
    ['grep', '{"pattern":"y"}'],
    ['files.read', '{}'],
    ['grep', '{"pattern":"z"}'],
  ];
  expect(made.map(({ name, arguments: json }) => [name, json])).toEqual(expected);
  expect(streamed).toEqual(expected);
  expect(new Set(made.map(({ id }) => id)).size).toBe(4);
  expect(made.slice(1, 3).map(({ id }) => id)).toEqual(['p_0', 'p_1']);
});

test.for(['{', '{"tool_uses":[]}', '{"tool_uses":[{"recipient_name":1}]}'])(
  'one that cannot be read stays as it is: %s',
  async (json) => {
    const { made, streamed } = await read([{ name: 'multi_tool_use.parallel', arguments: json }]);
    expect(made.map((call) => [call.name, call.arguments])).toEqual([['multi_tool_use.parallel', json]]);
    expect(streamed).toEqual([['multi_tool_use.parallel', json]]);
  },
);
