import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { eventCodec, type BaseEvent } from '@varve/events';
import { callFact, controlFact, runFact } from '@varve/events/facts';
import { builtinKinds, Condensation, ConversationErrorEvent, ConversationStateUpdateEvent } from '@varve/events/kinds';
import { FinishAction } from '@varve/events/payloads';
import { checkMessages, foldEvents, messageBuilder, statusKey, viewProjection } from '@varve/events/projections';
import { arbitraryLog, eventFactory, type Log } from '@varve/events/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { activeBranch, formats, type ForeignLog } from '../../src/index.ts';
import { orxhestraDatabaseFormat } from '../../src/orxhestra/database-format.ts';
import { orxhestraFormat } from '../../src/orxhestra/session-format.ts';
import { countedIds, filesOf, fixtureText } from '../fixture.ts';
import { ed25519Signer } from './signer.ts';
import { eventOf, eventTypes, newEvent, textPart, type Event } from '../../src/orxhestra/event.ts';
import { propertiesOf } from '../../src/orxhestra/properties.ts';
import { readEvents } from '../../src/orxhestra/read-events.ts';
import { sessionStateOf } from '../../src/orxhestra/session-state.ts';
import { verifyEvents } from '../../src/orxhestra/trust.ts';
import { writeSession } from '../../src/orxhestra/write-events.ts';

type Fields = Readonly<Record<string, unknown>>;
const codec = eventCodec(builtinKinds);
const { events: records, ...fields } = JSON.parse(fixtureText('orxhestra/session.json')) as Fields & {
  readonly events: readonly Fields[];
};
const session = { ...fields, events: records };
const read = (events: readonly unknown[], of: Fields = {}): ForeignLog =>
  readEvents({ fields: of, events }, { newId: countedIds() });
const decoded = ({ entries }: ForeignLog): readonly BaseEvent[] => entries.map(({ text }) => codec.decode(text));

async function written({ entries }: ForeignLog, sessionId = 'mine'): Promise<Fields> {
  const { events } = await activeBranch(entries);
  return JSON.parse(JSON.stringify(writeSession(events, { sessionId }).session)) as Fields;
}

function eventsIn({ events }: Fields): readonly Event[] {
  return (events as readonly unknown[]).flatMap((event) => eventOf(event) ?? []);
}

describe('a session of orxhestra', () => {
  test('is exported as it was imported', async () => {
    const log = read(records, fields);
    expect(log.problems.map(({ place }) => place)).toEqual(['event 17']);
    expect(await written(log)).toEqual(session);
  });

  test('is imported as the events in its golden file', async () => {
    const lines = read(records, fields).entries.map(({ text }) => `${text}\n`);
    // Times of events are local ones, and depend on the machine.
    const masked = lines.join('').replaceAll(/"timestamp":"[^"]*"/g, '"timestamp":"(local time)"');
    await expect(masked).toMatchFileSnapshot('../golden/orxhestra/session.jsonl');
  });

  test('becomes messages that a strict provider accepts', () => {
    const { events } = foldEvents(viewProjection(codec), decoded(read(records, fields)));
    const messages = messageBuilder(codec)(events);
    expect(checkMessages(messages)).toEqual([]);
    const text = JSON.stringify(messages);
    expect(text).toContain('The files were listed.');
    expect(text).not.toContain('total 0');
    expect(text).toContain('one');
  });

  test('has its failures and compactions as events, and a compaction forgets only its own branch', () => {
    const events = decoded(read(records, fields));
    expect(events.find((event) => ConversationErrorEvent.is(event))).toMatchObject({ code: 'TimeoutError' });
    expect(events.find((event) => Condensation.is(event))).toMatchObject({ summary_offset: 0 });
    const other = newEvent({
      id: 'x',
      type: 'agent_message',
      timestamp: 1,
      content: { role: null, parts: [textPart('Kept.')] },
      branch: 'b',
    });
    const compaction = { start_timestamp: 0, end_timestamp: 9, summary: 'S', event_count: 4 };
    const compacting = { ...newEvent({ id: 'c', type: 'agent_message', timestamp: 2 }), branch: 'a' };
    const log = read([other, { ...compacting, actions: { ...compacting.actions, compaction } }]);
    expect(decoded(log).find((event) => Condensation.is(event))).toMatchObject({ forgotten_event_ids: [] });
  });

  test.for<readonly [string, string, string, number]>([
    ['a session', 's.json', JSON.stringify(session, undefined, 2), 0],
    ['a list of events', 's.json', JSON.stringify(records), 0],
    ['one event per line', 's.jsonl', records.map((event) => `${JSON.stringify(event)}\n`).join(''), 0],
    ['a broken line', 's.jsonl', `{"id"\n${records.map((event) => `${JSON.stringify(event)}\n`).join('')}`, 1],
  ])('is recognised and read from %s', async ([, name, text, problems]) => {
    const files = filesOf(name, { [name]: text });
    const matching = await Promise.all(formats.map(async (format) => (await format.matches?.(files)) ?? false));
    expect(formats.find((_, index) => matching[index])?.name).toBe('orxhestra');
    const [log] = (await orxhestraFormat.read?.(files, { newId: countedIds() })) ?? [];
    expect([log?.id, log?.problems.length]).toEqual(['sess-1', 1 + problems]);
  });

  test('with rounded numbers reports them, and a file without events is refused', async () => {
    const text = JSON.stringify([{ ...records[3], metadata: { n: 'N' } }]).replace('"N"', '12345678901234567890');
    const [log] = (await orxhestraFormat.read?.(filesOf('s.json', { 's.json': text }), { newId: countedIds() })) ?? [];
    expect(log?.dropped).toMatchObject([{ subject: 'digits of whole numbers beyond 2^53', count: 1 }]);
    const none = filesOf('s.json', { 's.json': '{"events":[]}' });
    await expect(orxhestraFormat.read?.(none, { newId: countedIds() })).rejects.toMatchObject({ code: 'invalid' });
  });
});

const anyPart = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.string(), metadata: fc.constant({}) }),
  fc.record({ type: fc.constant('thinking'), thinking: fc.string() }),
  fc.record({ type: fc.constant('data'), data: fc.dictionary(fc.string(), fc.integer()) }),
  fc.record({
    type: fc.constant('tool_call'),
    tool_call_id: fc.constantFrom('a', 'b'),
    tool_name: fc.string(),
    args: fc.dictionary(fc.string(), fc.boolean()),
  }),
  fc.record({
    type: fc.constant('tool_response'),
    tool_call_id: fc.constantFrom('a', 'b'),
    result: fc.string(),
    error: fc.option(fc.string()),
  }),
  fc.record({
    type: fc.constantFrom('file', 'video'),
    mime_type: fc.constant('image/png'),
    inline_bytes: fc.base64String(),
  }),
);
const anyEvent = fc.record(
  {
    id: fc.string(),
    type: fc.constantFrom(...eventTypes, 'other'),
    timestamp: fc.integer({ min: 0, max: 30 }).map((n) => n / 4),
    branch: fc.constantFrom('', 'a'),
    partial: fc.option(fc.boolean()),
    author: fc.constantFrom('user', 'system', 'coder'),
    content: fc.record({ parts: fc.array(anyPart, { maxLength: 3 }) }),
    actions: fc.constantFrom(
      {},
      { state_delta: { k: 1 } },
      { compaction: { start_timestamp: 0, end_timestamp: 3, summary: 's' } },
    ),
    metadata: fc.constantFrom({}, { error: true }, { react_step: 'thought' }),
    future: fc.json().map((text): unknown => JSON.parse(text)),
  },
  { requiredKeys: ['type'] },
);

test('any list of events is exported as it was imported', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyEvent, { maxLength: 8 }), async (events) => {
      const json = JSON.parse(JSON.stringify(events)) as readonly unknown[];
      expect((await written(read(json)))['events']).toEqual(json);
    }),
    { numRuns: 60 },
  );
});

test('any log can be exported, and its export is exported again as it is', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 25 }), async (log) => {
      const { events } = await activeBranch(log);
      const { session: first } = writeSession(events, { sessionId: 's' });
      const json = JSON.parse(JSON.stringify(first)) as { readonly events: readonly unknown[] };
      expect((await written(read(json.events)))['events']).toEqual(json.events);
    }),
    { numRuns: 40 },
  );
});

describe('a conversation of varve as a session', () => {
  const factory = eventFactory();
  const run = (state: 'begun' | 'ended'): BaseEvent => runFact.create({ state, at: 0 }, factory.stamp());
  const added = [
    factory.prompt(),
    factory.user('Look.'),
    run('begun'),
    factory.call('c1', 'r1', { arguments: '{"command":"ls"}' }),
    factory.call('c2', 'r1', { arguments: 'broken' }),
    factory.result(0, 'a.txt'),
    factory.reject(1),
    run('begun'),
    factory.agent('One file.'),
    run('ended'),
  ];
  const { session: exported, dropped } = writeSession(added, { sessionId: 's1' });
  const events = eventsIn(exported);

  test('has a start and an end for every run, also for one that was cut off', () => {
    expect(events.map(({ type }) => type)).toEqual([
      'user_message',
      'agent_start',
      'agent_message',
      'tool_response',
      'tool_response',
      'agent_end',
      'agent_start',
      'agent_message',
      'agent_end',
    ]);
    expect(events.filter(({ metadata }) => metadata['interrupted'])).toHaveLength(1);
    expect(dropped).toMatchObject([{ subject: 'SystemPromptEvent', count: 1 }]);
  });

  test('follows the rules of the format: every call has a result, one last answer, ids of their own', () => {
    const calls = events.flatMap((event) => propertiesOf(event).toolCalls).map(({ tool_call_id }) => tool_call_id);
    expect(
      events.flatMap((event) => propertiesOf(event).toolResponses).map(({ tool_call_id }) => tool_call_id),
    ).toEqual(calls);
    expect(events.filter((event) => propertiesOf(event).isFinalResponse).map(({ content }) => content.parts)).toEqual([
      [textPart('One file.')],
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    const keys = Object.keys(newEvent({ id: '', type: 'agent_end', timestamp: 0 }));
    for (const event of exported['events'] as readonly object[]) expect(Object.keys(event)).toEqual(keys);
    expect(sessionStateOf(events).state).toEqual({});
  });

  test('has the model and the tokens of its replies', () => {
    const made = eventFactory();
    const usage = { input_tokens: 10, output_tokens: 3, cache_read_tokens: 0, cache_write_tokens: 0 };
    const call = {
      response_id: 'r1',
      actions: [],
      usage_id: 'agent',
      model: 'm-1',
      finish: 'stop',
      latency_ms: 1,
      at: 1,
    };
    const digests = { messages: '', tools: '', parameters: '' };
    const counted = { ...call, usage: { ...usage, reasoning_tokens: 0 }, digests, projections: {} };
    const log = [made.user('Look.'), callFact.create(counted, made.stamp()), made.call('c1', 'r1')];
    expect(eventsIn(writeSession(log, { sessionId: 's' }).session)[1]?.llm_response).toEqual({
      text: '',
      model_version: 'm-1',
      input_tokens: 10,
      output_tokens: 3,
      tool_calls: [{ id: 'c1', name: 'terminal', args: {} }],
      partial: false,
      raw_message: null,
    });
  });

  test('has transfers and escalations as actions of the results of their calls', () => {
    const made = eventFactory();
    const calls = [made.call('c1', 'r1'), made.call('c2', 'r2')] as const;
    const control = (index: 0 | 1, value: object): BaseEvent =>
      controlFact.create(
        { action_id: calls[index].id, control: 'escalate', reason: '', at: 0, ...value },
        made.stamp(),
      );
    const transfer = control(0, { control: 'transfer', agent: 'poet' });
    const log = [calls[0], made.result(0), transfer, calls[1], control(1, {}), made.result(1)];
    const output = writeSession(log, { sessionId: 's' });
    expect(sessionStateOf(eventsIn(output.session))).toMatchObject({ activeAgent: 'poet', isEscalated: true });
    expect(eventsIn(output.session)[1]?.actions.transfer_to_agent).toBe('poet');
    expect(output.dropped).toEqual([]);
  });

  test('has its steps with their number, its structured answer as data, and the end of its agent', () => {
    const made = eventFactory();
    const begun = runFact.create({ state: 'begun', at: 0 }, made.stamp());
    const [look, end] = [made.call('c1', 'r1'), made.call('c2', 'r2', { tool_name: 'finish' })];
    const answer = FinishAction.create({ message: 'One.' });
    const finish = { ...end, action: { ...answer, structured_output: { files: 1 } } } as BaseEvent;
    const finished = ConversationStateUpdateEvent.create({ key: statusKey, value: 'finished' }, made.stamp());
    const ended = runFact.create({ state: 'ended', at: 0 }, made.stamp());
    const log = [
      made.user('Go.'),
      begun,
      look,
      made.result(0, 'a.txt'),
      finish,
      made.result(1, 'One.'),
      finished,
      ended,
    ];
    const output = eventsIn(writeSession(log, { sessionId: 's' }).session);
    expect(output.map((event) => propertiesOf(event).reactStep)).toEqual([
      undefined,
      undefined,
      1,
      1,
      2,
      2,
      undefined,
      undefined,
    ]);
    expect(output.map(({ actions }) => actions.end_of_agent)).toEqual([...Array<null>(7).fill(null), true]);
    const last = output.filter((event) => propertiesOf(event).isFinalResponse);
    expect(last.map((event) => [propertiesOf(event).text, propertiesOf(event).data])).toEqual([['One.', { files: 1 }]]);
  });

  test('has a result that is the answer as a final message', () => {
    const made = eventFactory();
    const call = made.call('c1', 'r1');
    const control = controlFact.create({ action_id: call.id, control: 'answer', reason: '', at: 0 }, made.stamp());
    const { session: output } = writeSession([call, made.result(0, 'All is well.'), control], { sessionId: 's' });
    const [, result, answer] = eventsIn(output);
    expect(result?.actions.skip_summarization).toBe(true);
    expect(answer && propertiesOf(answer)).toMatchObject({ isFinalResponse: true, text: 'All is well.' });
  });

  test('is signed on demand, and the signatures of a chain are valid', async () => {
    const signer = ed25519Signer(new Uint8Array(32).fill(7));
    const { session: signed } = writeSession(added, { sessionId: 's1', signer });
    const policy = { trusted: [signer.did], mustBeSigned: ['agent_message', 'tool_response'], chain: 'log' } as const;
    const verdicts = verifyEvents(eventsIn(signed), policy);
    expect(verdicts.filter(({ problem }) => problem)).toEqual([]);
    expect(verdicts.filter(({ isSigned }) => isSigned)).toHaveLength(8);
    const again = await written(read(signed['events'] as readonly unknown[]));
    expect(again['events']).toEqual(JSON.parse(JSON.stringify(signed['events'])));
  });
});

const filesAt = (path: string, name: string) => ({
  ...filesOf(name, { [name]: 'SQLite format 3\0 … orx_events' }),
  location: () => path,
});

describe('a database of orxhestra', () => {
  const directory = mkdtempSync(join(tmpdir(), 'varve-orxhestra-'));

  function databaseWith(name: string, events: string): string {
    const path = join(directory, name);
    const database = new DatabaseSync(path);
    database.exec(
      'CREATE TABLE orx_sessions (id VARCHAR PRIMARY KEY, app_name VARCHAR, user_id VARCHAR, state_json TEXT, last_update_time FLOAT)',
    );
    database.exec(events);
    const insert = database.prepare('INSERT INTO orx_sessions VALUES (?, ?, ?, ?, ?)');
    insert.run('sess-1', 'demo', 'u1', JSON.stringify(fields['state']), Number(fields['last_update_time']));
    database.close();
    return path;
  }

  const table =
    'CREATE TABLE orx_events (id VARCHAR PRIMARY KEY, session_id VARCHAR, event_json TEXT, created_at FLOAT)';
  test('is read: one conversation per session, events of equal times in the order in which they were stored', async () => {
    const path = databaseWith('sessions.db', table);
    const database = new DatabaseSync(path);
    const insert = database.prepare('INSERT INTO orx_events VALUES (?, ?, ?, ?)');
    for (const [index, event] of records.entries()) insert.run(`e${99 - index}`, 'sess-1', JSON.stringify(event), 1);
    insert.run('broken', 'sess-1', '{', 2);
    database.close();
    const files = filesAt(path, 'sessions.db');
    expect(await orxhestraDatabaseFormat.matches?.(files)).toBe(true);
    const [log] = (await orxhestraDatabaseFormat.read?.(files, { newId: countedIds() })) ?? [];
    if (!log) throw new Error('Nothing was read.');
    expect(log.problems.map(({ place }) => place)).toEqual(['event 19', 'event 17']);
    expect(await written(log)).toEqual(session);
  });

  test.for([
    ['a view', "CREATE VIEW orx_events AS SELECT '' AS session_id, '{}' AS event_json, 0 AS created_at"],
    ['a virtual table', 'CREATE VIRTUAL TABLE orx_events USING fts5(session_id, event_json, created_at)'],
    ['a generated column', 'CREATE TABLE orx_events (session_id, event_json AS (hex(1)), created_at)'],
    ['no table', ''],
  ] as const)('with %s instead of its table is refused', async ([name, events]) => {
    const files = filesAt(databaseWith(`${name.replaceAll(' ', '-')}.db`, events), 'x.db');
    await expect(orxhestraDatabaseFormat.read?.(files, { newId: countedIds() })).rejects.toThrow(
      'no tables of sessions',
    );
  });

  test('that is none, or not on a disk, is refused', async () => {
    const options = { newId: countedIds() };
    const missing = filesAt(join(directory, 'missing.db'), 'missing.db');
    await expect(orxhestraDatabaseFormat.read?.(missing, options)).rejects.toMatchObject({ code: 'invalid' });
    const inMemory = filesOf('a.db', { 'a.db': '' });
    await expect(orxhestraDatabaseFormat.read?.(inMemory, options)).rejects.toMatchObject({ code: 'unsupported' });
  });
});
