import { expect, test } from 'vitest';
import type { Delta } from '../delta.ts';
import type { ToolSpec } from '../model-request.ts';
import { userRequest, scriptedServer } from '../testing/index.ts';
import { openaiChat } from '../chat/openai-chat.ts';
import type { ScriptedCall } from '../testing/script/scripted-step.ts';

const tools: readonly ToolSpec[] = ['grep', 'files.read'].map((name) => ({
  name,
  description: '',
  parameters: { type: 'object', properties: {} },
}));
const grep = { name: 'grep', arguments: { pattern: 'x' } };

/** Returns the calls of a reply, and their deltas. */
async function read(calls: readonly ScriptedCall[], stream = true) {
  await using server = await scriptedServer([{ calls }]);
  const deltas: Delta[] = [];
  const model = openaiChat({ model: 'm', baseUrl: server.url, stream });
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

const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
const uses = (count: number, parameters = '{}'): string =>
  `{"tool_uses":[${Array.from({ length: count }, () => `{"recipient_name":"grep","parameters":${parameters}}`).join()}]}`;
const parallel = (json: string, id = 'p'): ScriptedCall => ({ id, name: 'multi_tool_use.parallel', arguments: json });

test.for<[string, string]>([
  ['deep parameters', uses(1, nested(20_000))],
  ['deep text that is no JSON', uses(1, '['.repeat(50_000))],
  ['many values', uses(1, `{"a":[${'1,'.repeat(100_000)}1]}`)],
  ['more calls than a reply may have', uses(201)],
])('one with %s stays as it is', async ([, json]) => {
  const { made } = await read([parallel(json)], false);
  expect(made.map((call) => [call.name, call.arguments.length])).toEqual([['multi_tool_use.parallel', json.length]]);
});

test('several together are expanded up to the calls that a reply may have', async () => {
  const { made } = await read([parallel(uses(150), 'a'), parallel(uses(150), 'b'), parallel(uses(49), 'c')], false);
  expect(made.filter(({ name }) => name === 'grep')).toHaveLength(199);
  expect(made.flatMap(({ id, name }) => (name === 'grep' ? [] : [id]))).toEqual(['b']);
});

test.for([['p_0'], ['p_1', 'p_0_'], ['p_0', 'p_0_', 'p_0__'], ['x'.repeat(10_000)]])(
  'each call has an id of its own and of a limited length, beside %j',
  async (taken) => {
    const others = taken.map((id) => ({ ...grep, id }));
    const parent = taken[0]?.length === 10_000 ? 'y'.repeat(10_000) : 'p';
    const { made } = await read([...others, parallel(uses(3), parent)], false);
    const ids = made.map(({ id }) => id);
    expect(ids.slice(0, taken.length)).toEqual(taken);
    expect(new Set(ids).size).toBe(taken.length + 3);
    expect(ids.slice(taken.length).every(({ length }) => length < 200)).toBe(true);
  },
);
