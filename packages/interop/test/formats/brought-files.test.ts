import { expect, test } from 'vitest';
import { activeBranch, formats, type ForeignLog } from '../../src/index.ts';
import { firstKeys } from '../../src/common/foreign-json.ts';
import { writeChat } from '../../src/chat/write-chat.ts';
import { countedIds, filesOf } from '../fixture.ts';

/** Reads a file in the first format that matches it. */
async function read(
  name: string,
  text: string,
): Promise<{ readonly format: string; readonly logs: readonly ForeignLog[] }> {
  const files = filesOf(name, { [name]: text });
  for (const format of formats) {
    if (!(await format.matches?.(files))) continue;
    return { format: format.name, logs: (await format.read?.(files, { newId: countedIds() })) ?? [] };
  }
  return { format: '', logs: [] };
}

async function chatOf(log: ForeignLog | undefined): Promise<readonly object[]> {
  const { events } = await activeBranch(log?.entries ?? []);
  return writeChat(events).chat.messages;
}

/** Returns the number of events in the branch of the last one. */
async function eventsOf(log: ForeignLog | undefined): Promise<number> {
  return (await activeBranch(log?.entries ?? [])).events.length;
}

const lines = (records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const chat = [
  { role: 'user', content: 'Bake bread' },
  { role: 'assistant', content: 'Flour first.' },
];

test.for<[string, string, string]>([
  ['bread.json', JSON.stringify(chat), 'chat'],
  ['bread.jsonl', lines(chat), 'chat'],
  ['bread.jsonl', lines([{ id: 7, messages: chat }]), 'chat'],
  [
    'bread.traj.json',
    JSON.stringify({ info: { exit_status: 'ok' }, messages: chat, trajectory_format: 'mini-swe-agent-1' }),
    'mini-swe-agent',
  ],
  [
    'bread.traj',
    JSON.stringify({ environment: 'main', trajectory: null, history: chat, info: {} }, undefined, 2),
    'swe-agent',
  ],
  [
    'bread.traj',
    JSON.stringify({ environment: 'main', trajectory: [{ response: 'Flour first.', observation: null }] }),
    'swe-agent',
  ],
])('%s is read: %s', async ([name, text, format]) => {
  const log = await read(name, text);
  expect(log.format).toBe(format);
  expect((await chatOf(log.logs[0])).at(-1)).toMatchObject({ role: 'assistant', content: 'Flour first.' });
});

test('calls of SWE-agent have their results', async () => {
  const call = { id: 'c1', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } };
  const history = [
    ...chat.slice(0, 1),
    { role: 'assistant', content: 'I look.', tool_calls: [call], agent: 'main', message_type: 'action' },
    { role: 'tool', content: 'flour', tool_call_ids: ['c1'], message_type: 'observation' },
  ];
  const { logs } = await read('a.traj', JSON.stringify({ environment: 'main', history, info: {} }));
  expect(logs[0]?.problems).toEqual([]);
  expect((await chatOf(logs[0])).at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'c1', content: 'flour' });
});

const issueRun = {
  issue: { owner: 'o', repo: 'garden', number: 4, title: 'Hedge' },
  instruction: 'Plant a hedge',
  history: [{ id: 0, source: 'user', action: 'message', args: { content: 'Plant a hedge' }, message: 'Plant a hedge' }],
  git_patch: '',
};

test.for<[string, string, string]>([
  ['output.jsonl', lines([issueRun]), 'o-garden-4'],
  ['output.json', JSON.stringify([{ ...issueRun, issue: undefined, instance_id: 'i1' }], undefined, 2), 'i1'],
  ['output.json', JSON.stringify({ ...issueRun, issue: undefined, instance_id: 'i1' }, undefined, 2), 'i1'],
])('%s of runs is read: %s', async ([name, text, id]) => {
  const { format, logs } = await read(name, text);
  expect([format, logs[0]?.id, logs[0]?.problems]).toEqual(['evaluation', id, []]);
  expect(await chatOf(logs[0])).toMatchObject([{ role: 'user', content: 'Plant a hedge' }]);
});

const message = (id: string, text: string, parent?: string) => ({
  id,
  timestamp: '2026-01-02T03:04:05.000001',
  source: 'user',
  ...(parent !== undefined && { parent_id: parent }),
  llm_message: { role: 'user', content: [{ cache_prompt: false, type: 'text', text }] },
  activated_skills: [],
  extended_content: [],
  kind: 'MessageEvent',
});

test.for<[string, string]>([
  ['events.json', JSON.stringify([message('a', 'Walk Rex'), message('b', 'Now', 'a')])],
  [
    'events.json',
    JSON.stringify({ items: [message('a', 'Walk Rex'), message('b', 'Now', 'a')], next_page_id: null }, undefined, 2),
  ],
  ['events.jsonl', lines([message('a', 'Walk Rex'), message('b', 'Now', 'a')])],
])('%s of events is read: %s', async ([name, text]) => {
  const { format, logs } = await read(name, text);
  expect([format, logs[0]?.problems]).toEqual(['v1-events', []]);
  expect(await eventsOf(logs[0])).toBe(2);
});

test('an event whose parent is missing follows the one before it, and is reported', async () => {
  const events = [
    message('a', 'One', 'lost'),
    message('b', 'Two', 'a'),
    message('c', 'Three', 'gone'),
    message('d', 'Four', 'c'),
  ];
  const { logs } = await read('events.jsonl', lines(events));
  expect(logs[0]?.problems.map(({ place }) => place)).toEqual(['line 1', 'line 3']);
  expect(logs[0]?.entries.map(({ parentId }) => parentId)).toEqual([undefined, 'a', 'b', 'c']);
  expect(await eventsOf(logs[0])).toBe(4);
});

const pi = (id: string, parentId: string | null, fields: object) => ({
  type: 'message',
  id,
  parentId,
  timestamp: '2026-01-02T03:04:05Z',
  ...fields,
});
const session = { type: 'session', version: 3, id: 'p1', timestamp: '2026-01-02T03:04:05Z', cwd: '/w' };

test('a session of pi is read: its last branch, with calls, results and a compaction', async () => {
  const { format, logs } = await read(
    'pi.jsonl',
    lines([
      session,
      pi('a', null, { message: { role: 'user', content: 'Plant' } }),
      pi('x', 'a', { message: { role: 'assistant', content: [{ type: 'text', text: 'Elsewhere' }] } }),
      pi('b', 'a', {
        message: {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.' },
            { type: 'toolCall', id: 'c1', name: 'bash', arguments: { command: 'ls' } },
          ],
        },
      }),
      pi('c', 'b', {
        message: {
          role: 'toolResult',
          toolCallId: 'c1',
          toolName: 'bash',
          isError: false,
          content: [{ type: 'text', text: 'seed' }],
        },
      }),
      { ...pi('d', 'c', {}), type: 'compaction', summary: 'Looked.', firstKeptEntryId: 'b' },
      pi('e', 'd', { message: { role: 'assistant', content: [{ type: 'text', text: 'Done' }] } }),
    ]),
  );
  expect([format, logs[0]?.id, logs[0]?.problems]).toEqual(['pi', 'p1', []]);
  expect(logs[0]?.dropped).toMatchObject([{ subject: 'records of other branches', count: 1 }]);
  expect(await chatOf(logs[0])).toMatchObject([
    { content: 'Looked.' },
    { role: 'assistant', tool_calls: [{ id: 'c1' }] },
    { role: 'tool', content: 'seed' },
    { content: 'Done' },
  ]);
});

const user = (id: string, parent: string | null) => pi(id, parent, { message: { role: 'user', content: id } });

test('a session of pi with a lost parent is whole', async () => {
  const { logs } = await read(
    'pi.jsonl',
    lines([session, user('a', null), user('b', 'a'), user('c', 'lost'), user('d', null)]),
  );
  expect(await eventsOf(logs[0])).toBe(4);
  expect(logs[0]?.problems).toHaveLength(2);
});

const claude = (uuid: string, parentUuid: string | null, content: string, type = 'user') => ({
  type,
  uuid,
  parentUuid,
  sessionId: 's',
  isSidechain: false,
  message: { role: type, content, ...(type === 'assistant' && { id: `m${uuid}` }) },
});

test.for([null, 'lost'])('a session of Claude Code whose record has the parent %s is whole', async (parent) => {
  for (const type of ['user', 'assistant']) {
    const records = [
      claude('a', null, 'a'),
      claude('b', 'a', 'b', 'assistant'),
      claude('c', parent, 'c', type),
      claude('d', 'c', 'd'),
    ];
    const { logs } = await read('s.jsonl', lines(records));
    expect(await eventsOf(logs[0])).toBe(4);
    expect([logs[0]?.problems.length, logs[0]?.dropped]).toEqual([1, []]);
  }
});

test('messages that nothing connects are not named as another branch', async () => {
  const records = [
    claude('x', 'y', 'x'),
    claude('y', 'x', 'y'),
    claude('a', null, 'a'),
    claude('o', 'a', 'o'),
    claude('b', 'a', 'b'),
  ];
  const { logs } = await read(
    's.jsonl',
    lines(
      records
        .toSpliced(0, 2)
        .concat(records.slice(0, 2))
        .concat(claude('z', 'b', 'z')),
    ),
  );
  expect(logs[0]?.problems.map(({ reason }) => reason)).toEqual(
    Array.from({ length: 2 }, () => 'It is not connected to the last message.'),
  );
  expect(logs[0]?.dropped).toMatchObject([{ count: 1 }]);
});

test('records of Claude Code without ids, and items of Codex without a type, are read', async () => {
  const records = chat.map((each) => ({ type: each.role, message: each }));
  expect((await read('s.jsonl', lines(records))).format).toBe('claude-code');
  const items = [
    { type: 'session_meta', payload: { id: 'r1' } },
    { type: 'response_item', payload: { role: 'user', content: [{ type: 'input_text', text: 'Trim' }] } },
    { type: 'response_item', payload: { call_id: 'k', name: 'shell', arguments: '{}' } },
    { type: 'response_item', payload: { call_id: 'k', output: 'cut' } },
  ];
  const { logs } = await read('rollout-1.jsonl', lines(items));
  expect([logs[0]?.problems, logs[0]?.dropped]).toEqual([[], []]);
  expect(await chatOf(logs[0])).toMatchObject([{ content: 'Trim' }, { tool_calls: [{ id: 'k' }] }, { content: 'cut' }]);
});

test.for<[string, readonly string[]]>([
  ['{"a": {"b": [1, {"c": "d\\"e"}]}, "f": 1, "g', ['a', 'f']],
  ['[\n  {"role": "user"}, {"other": 1}]', ['role']],
  ['{"a": 1}\n{"b": 2}', ['a']],
  ['text', []],
])('the first keys of %j are %j', ([start, keys]) => {
  expect([...firstKeys(start)]).toEqual(keys);
});
