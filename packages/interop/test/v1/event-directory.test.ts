import { eventCodec } from '@varve/events';
import { builtinKinds, MessageEvent } from '@varve/events/kinds';
import { eventFactory } from '@varve/events/testing';
import { expect, test } from 'vitest';
import { formats, type ForeignLog } from '../../src/index.ts';
import { v1DirectoryFormat } from '../../src/v1/event-formats.ts';
import { countedIds, filesOf } from '../fixture.ts';

const factory = eventFactory();
const events = [factory.prompt(), factory.user('Hi'), factory.call('c1'), factory.result(0)];
const texts = events.map((event) => JSON.stringify(event));

async function read(files: Readonly<Record<string, string | undefined>>): Promise<ForeignLog> {
  const [log] = (await v1DirectoryFormat.read?.(filesOf('conversation', files), { newId: countedIds() })) ?? [];
  if (!log) throw new Error('The directory has no log.');
  return log;
}

const layouts = {
  'event-00000-<id>.json': (index: number) => `events/event-0000${index}-${events[index]?.id ?? ''}.json`,
  '000000_<id>.json': (index: number) => `events/00000${index}_${events[index]?.id ?? ''}.json`,
  '000000_<id>.json without a folder': (index: number) => `00000${index}_${events[index]?.id ?? ''}.json`,
  '0001_<kind>.json': (index: number) =>
    `events/000${index + 1}_${['system_prompt', 'user_message', 'action', 'observation'][index]}.json`,
};

test.for(Object.entries(layouts))('the layout %s is read in order and byte for byte', async ([, pathOf]) => {
  const files = Object.fromEntries(texts.map((text, index) => [pathOf(index), text]));
  const state = { 'base_state.json': '{"id":"0a0b-11"}', 'meta.json': '{"title":"Greeting"}' };
  const log = await read({ ...files, ...state });
  expect(log).toMatchObject({ id: '0a0b11', title: 'Greeting', problems: [] });
  expect(log.entries.map(({ text }) => text)).toEqual(texts);
  expect(log.entries.map(({ id, parentId }) => [id, parentId])).toEqual(
    events.map((event) => [event.id, event.parent_id]),
  );
  const results = await Promise.all(
    formats.map(async (format) => (await format.matches?.(filesOf('x', files))) ?? false),
  );
  expect(formats.filter((_, index) => results[index]).map(({ name }) => name)).toEqual(['v1-directory']);
});

test.for([
  ['user_message', 'user', 'user'],
  ['UserMessageEvent', 'user', 'user'],
  ['agent_message', 'agent', 'assistant'],
  ['AgentMessageEvent', 'agent', 'assistant'],
] as const)('an event of the documented kind %s is a message', async ([kind, source, role]) => {
  const fields = { id: 'ab12cd34', timestamp: '2025-11-01T10:00:00', kind, content: 'Hi', images: ['data:,x'] };
  const { entries, problems } = await read({ 'events/0001_user_message.json': JSON.stringify(fields) });
  expect(problems).toEqual([]);
  const event = eventCodec([MessageEvent]).decode(entries[0]?.text ?? '');
  expect(event).toMatchObject({ source, timestamp: '2025-11-01T10:00:00.000000', llm_message: { role } });
  expect(event).toMatchObject({ llm_message: { content: [{ text: 'Hi' }, { image_urls: ['data:,x'] }] } });
});

test('broken files are reported, and the others are read', async () => {
  const [prompt = '', user = ''] = texts;
  const invalid = JSON.stringify({ id: 'ab12cd35', kind: 'action', thought: 7 });
  const log = await read({
    'events/0001_system_prompt.json': prompt,
    'events/0002_action.json': '{',
    'events/0003_action.json': undefined,
    'events/0004_x.json': '{"kind":"x"}',
    'events/0005_system_prompt.json': prompt,
    'events/0006_action.json': invalid,
    'events/0007_invented.json': '{"id":"ab12cd36","kind":"Invented"}',
    'events/0008_user_message.json': user,
  });
  expect(log.problems.map(({ place, reason }) => `${place.slice(7, 11)} ${reason}`)).toEqual([
    '0002 It is not JSON.',
    '0003 It is not UTF-8 text.',
    '0004 It is not an event.',
    '0005 Its id is that of another event.',
    '0006 Its fields are not those of its kind.',
  ]);
  const codec = eventCodec(builtinKinds);
  expect(log.entries.map(({ text }) => codec.read(text).kind)).toEqual([
    'SystemPromptEvent',
    'OpaqueEvent',
    'OpaqueEvent',
    'MessageEvent',
  ]);
});

test('a directory without events is invalid', async () => {
  await expect(read({ 'events/0001_x.json': '[]' })).rejects.toMatchObject({ code: 'invalid' });
});

test('the directory of the design pages is read whole: a call, its result and a condensation', async () => {
  const common = { timestamp: '2025-11-01T10:00:00' };
  const call = { id: 'call_1', type: 'function', function: { name: 'grep', arguments: { pattern: 'x' } } };
  const log = await read({
    'events/000000_evt-uuid1.json': JSON.stringify({
      id: 'evt-uuid1',
      ...common,
      source: 'user',
      llm_message: { role: 'user', content: [{ type: 'text', text: 'Look' }] },
      activated_microagents: ['github'],
      extended_content: [],
      kind: 'MessageEvent',
    }),
    'events/000001_evt-uuid2.json': JSON.stringify({
      id: 'evt-uuid2',
      ...common,
      source: 'agent',
      thought: [],
      action: { kind: 'MCPToolAction', data: { pattern: 'x' } },
      tool_name: 'grep',
      tool_call_id: 'call_1',
      tool_call: call,
      llm_response_id: 'r1',
      kind: 'ActionEvent',
    }),
    'events/000002_evt-uuid4.json': JSON.stringify({
      id: 'evt-uuid4',
      ...common,
      source: 'environment',
      action_id: 'evt-uuid2',
      tool_name: 'grep',
      tool_call_id: 'call_1',
      observation: { kind: 'GrepObservation', success: false, message: 'No match.' },
      kind: 'ObservationEvent',
    }),
    'events/000003_evt-uuid3.json': JSON.stringify({
      id: 'evt-uuid3',
      ...common,
      source: 'environment',
      forgotten_event_ids: ['evt-uuid1'],
      summary: 'Looked.',
      summary_offset: 0,
      kind: 'Condensation',
    }),
  });
  expect(log.problems).toEqual([]);
  const codec = eventCodec(builtinKinds);
  const [message, action, result, condensation] = log.entries.map(({ text }) => codec.decode(text));
  expect(message).toMatchObject({ activated_skills: ['github'] });
  expect(action).toMatchObject({ tool_call: { id: 'call_1', name: 'grep', arguments: '{"pattern":"x"}' } });
  expect(result).toMatchObject({ observation: { content: [{ text: 'No match.' }], is_error: true, success: false } });
  expect(condensation).toMatchObject({ summary: 'Looked.', llm_response_id: '' });
});

test('an event with the root as its parent starts another tree, and one with a missing parent is reported as read', async () => {
  const [first, second] = [factory.user('First tree.'), { ...factory.user('Second tree.'), parent_id: '__root__' }];
  const third = { ...factory.user('Third.'), parent_id: 'gone' };
  const written = [first, second, third].map((event) => JSON.stringify(event));
  const { entries, problems } = await read(
    Object.fromEntries(written.map((text, index) => [`events/00000${index}_e.json`, text])),
  );
  expect(entries.slice(0, 2).map(({ text, parentId }) => [text, parentId])).toEqual([
    [written[0], first.parent_id],
    [written[1], '__root__'],
  ]);
  expect([entries[2]?.parentId, problems]).toEqual([
    second.id,
    [
      {
        place: 'events/000002_e.json',
        reason: 'Its parent is missing: it follows the event before it.',
        isRead: true,
      },
    ],
  ]);
});

test('a result without content and without a known text is read as its fields', async () => {
  const result = { ...factory.result(1), observation: { kind: 'TestObservation', passed: 3 } };
  const { entries } = await read({ 'events/000000_e.json': JSON.stringify(result) });
  expect(eventCodec(builtinKinds).decode(entries[0]?.text ?? '')).toMatchObject({
    observation: { content: [{ text: '{"passed":3}' }], is_error: false, passed: 3, kind: 'TestObservation' },
  });
});
