import { eventCodec, type BaseEvent } from '@varve/events';
import { originFact } from '@varve/events/facts';
import { ActionEvent, builtinKinds, Condensation, MessageEvent, ObservationEvent } from '@varve/events/kinds';
import { messageBuilder, checkMessages, statsProjection, foldEvents, viewProjection } from '@varve/events/projections';
import { arbitraryLog, eventFactory, type Log } from '@varve/events/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { activeBranch, formats, InteropError } from '../../src/index.ts';
import { rebuiltMark, type V0Record } from '../../src/v0/tool-calls.ts';
import { countedIds, exported, filesOf, fixtureText, v0Fixture } from '../fixture.ts';
import { checkV0Records } from './v0-rules.ts';
import { agentStates, statusOfState, stateOfStatus } from '../../src/v0/agent-states.ts';
import { parseTrajectory } from '../../src/v0/trajectory.ts';
import { readRecords } from '../../src/v0/read-records.ts';
import { writeRecords } from '../../src/v0/write-records.ts';
const codec = eventCodec(builtinKinds);
const fixtures = ['every-kind', 'legacy'] as const;

function eventsOf(records: readonly unknown[]): readonly BaseEvent[] {
  return readRecords(records, { newId: countedIds() }).entries.map(({ text }) => codec.decode(text));
}

describe.for(fixtures)('trajectory %s', (name) => {
  test('is exported as it was imported', async () => {
    const records = v0Fixture(name);
    const { entries, problems } = readRecords(records, { newId: countedIds() });
    expect(problems).toEqual([]);
    expect(await exported(entries)).toEqual(records);
  });

  test('is imported as the events in its golden file', async () => {
    const lines = readRecords(v0Fixture(name), { newId: countedIds() }).entries.map(({ text }) => `${text}\n`);
    await expect(lines.join('')).toMatchFileSnapshot(`../golden/v0/${name}.jsonl`);
  });

  test('becomes messages that a strict provider accepts', () => {
    const { events } = foldEvents(viewProjection(codec), eventsOf(v0Fixture(name)));
    const messages = messageBuilder(codec)(events);
    expect(messages.length).toBeGreaterThan(2);
    expect(checkMessages(messages)).toEqual([]);
  });
});

test('every action and observation of the format occurs in the fixture', () => {
  const named = new Set(v0Fixture('every-kind').map(({ action, observation }) => action ?? observation));
  const actions =
    'message system run run_ipython read write edit browse browse_interactive call_tool_mcp delegate think finish ' +
    'reject null change_agent_state recall condensation condensation_request task_tracking loop_recovery';
  const observations =
    'run run_ipython read write edit browse delegate success error null think user_rejected condense ' +
    'agent_state_changed mcp download task_tracking loop_detection recall';
  expect([...actions.split(' '), ...observations.split(' ')].filter((kind) => !named.has(kind))).toEqual([]);
});

test('a call keeps its tool, its arguments byte for byte, its response and the thought of its first call', () => {
  const calls = eventsOf(v0Fixture('every-kind')).filter((event) => ActionEvent.is(event));
  const [first] = calls;
  expect(first).toMatchObject({
    tool_name: 'execute_bash',
    tool_call: { id: 'call_1', arguments: '{"command": "make test"}' },
    llm_response_id: 'resp_1',
    security_risk: 'LOW',
    action: { command: 'make test', timeout: 120, kind: 'TerminalAction' },
  });
  const both = calls.filter(({ llm_response_id }) => llm_response_id === 'resp_two');
  expect(both.map(({ thought }) => thought.map(({ text }) => text))).toEqual([['Both.'], []]);
});

test('a result answers the call that caused it', () => {
  const events = eventsOf(v0Fixture('every-kind'));
  const actions = new Map(events.flatMap((event) => (ActionEvent.is(event) ? [[event.id, event]] : [])));
  const results = events.filter((event) => ObservationEvent.is(event));
  expect(results.length).toBeGreaterThan(12);
  for (const { action_id, tool_call_id } of results) expect(actions.get(action_id)?.tool_call_id).toBe(tool_call_id);
});

test('what was recalled for a message extends it', () => {
  const first = eventsOf(v0Fixture('every-kind')).find((event) => MessageEvent.is(event));
  expect(first).toMatchObject({ activated_skills: ['testing'] });
  expect(first?.extended_content.map(({ text }) => text)).toEqual(['Use tabs.', 'Run tests with make test.']);
});

test('of a call that was recorded again after a confirmation, the last record counts', () => {
  const events = eventsOf(v0Fixture('every-kind'));
  expect(events.filter((event) => ActionEvent.is(event) && event.tool_call_id === 'call_conf')).toHaveLength(1);
});

test('a call that was recorded twice without waiting counts twice', () => {
  const records = v0Fixture('every-kind').map((record) => {
    const isOfCall = JSON.stringify(record['tool_call_metadata'] ?? '').includes('"call_conf"');
    const args = { ...Object(record['args']), confirmation_state: 'confirmed' } as object;
    return isOfCall && record['action'] === 'run' ? { ...record, args } : record;
  });
  const calls = eventsOf(records).filter((event) => ActionEvent.is(event) && event.tool_call_id === 'call_conf');
  expect(calls).toHaveLength(2);
});

test('the message of a finish without metadata of its call is its final thought', () => {
  const args = { final_thought: 'It is 42.', outputs: {}, thought: 'Done.' };
  const [, action] = eventsOf([userMessage('Go.', 0), { id: 1, source: 'agent', action: 'finish', args }]).filter(
    (event) => MessageEvent.is(event) || ActionEvent.is(event),
  );
  expect(action).toMatchObject({ action: { message: 'It is 42.', kind: 'FinishAction' } });
});

test('the events of a delegate are a log of their own', () => {
  const { entries, children } = readRecords(v0Fixture('every-kind'), { newId: countedIds() });
  expect(children.map(({ entries: inner }) => inner.map(({ kind }) => kind).filter(isStep))).toEqual([
    ['MessageEvent', 'ActionEvent', 'ObservationEvent', 'ActionEvent', 'ObservationEvent'],
  ]);
  const steps = entries.filter(({ kind }) => isStep(kind)).map(({ text }) => text);
  expect(steps.filter((text) => text.includes('TASK: '))).toEqual([]);
});

test('cost and tokens of the agent are those of its last action', () => {
  const { total } = foldEvents(statsProjection, eventsOf(v0Fixture('every-kind')));
  const last = v0Fixture('every-kind').findLast(({ llm_metrics }) => llm_metrics !== undefined);
  expect(last).toMatchObject({ llm_metrics: { accumulated_cost: total.cost_usd } });
  expect(total.input_tokens).toBeGreaterThan(0);
});

test('a newer summary replaces the older ones, as in V0', () => {
  const records = [
    userMessage('a', 0),
    condense('first', [0]),
    userMessage('b', 2),
    condense('second', [2]),
    userMessage('c', 4),
  ];
  const { events } = foldEvents(viewProjection(codec), eventsOf(records));
  expect(events.map((event) => ('summary' in event ? event.summary : event.kind))).toEqual(['second', 'MessageEvent']);
});

test('all states of an agent have a status, and every status has a state', () => {
  expect(agentStates.map((state) => [state, stateOfStatus(statusOfState(state))])).toMatchInlineSnapshot(`
    [
      [
        "loading",
        "awaiting_user_input",
      ],
      [
        "running",
        "running",
      ],
      [
        "awaiting_user_input",
        "awaiting_user_input",
      ],
      [
        "paused",
        "paused",
      ],
      [
        "stopped",
        "paused",
      ],
      [
        "finished",
        "finished",
      ],
      [
        "rejected",
        "finished",
      ],
      [
        "error",
        "error",
      ],
      [
        "awaiting_user_confirmation",
        "awaiting_user_confirmation",
      ],
      [
        "user_confirmed",
        "running",
      ],
      [
        "user_rejected",
        "awaiting_user_input",
      ],
      [
        "rate_limited",
        "running",
      ],
    ]
  `);
});

test('a rebuilt response is marked as such, and is copied to the result', async () => {
  const { entries } = readRecords([], { newId: countedIds() });
  expect(await exported(entries)).toEqual([]);
  const events = eventsOf(v0Fixture('every-kind')).filter((event) => !originFact.read(event));
  const { records } = writeRecords(events);
  const index = records.findIndex(({ action }) => action === 'run');
  expect(records[index]).toMatchObject({
    tool_call_metadata: {
      model_response: { [rebuiltMark]: true, choices: [{ message: { content: 'I run the tests.' } }] },
      total_calls_in_response: 1,
    },
  });
  expect(records[index + 1]).toMatchObject({
    cause: records[index]?.['id'],
    tool_call_metadata: records[index]?.['tool_call_metadata'],
  });
});

test('records have dense ids, and causes that refer to earlier actions', () => {
  const { records } = writeRecords(eventsOf(v0Fixture('every-kind')).filter((event) => !originFact.read(event)));
  expect(records.map(({ id }) => id)).toEqual(records.map((_, index) => index));
  const causes = records.flatMap(({ id, cause }) => (typeof cause === 'number' ? [[id, cause] as const] : []));
  expect(causes.length).toBeGreaterThan(10);
  for (const [id, cause] of causes) expect(records[cause]?.['action'], `record ${String(id)}`).toBeTypeOf('string');
});

test('one broken record is reported, and the others are read', async () => {
  const values = [v0Fixture('legacy')[0], null, 7, { action: 'invented', args: { a: 1 } }, v0Fixture('legacy')[1]];
  const { entries, problems } = readRecords(values, { newId: countedIds() });
  expect(problems).toEqual([
    { place: 'record 1', reason: 'It is not an object.' },
    { place: 'record 2', reason: 'It is not an object.' },
    { place: 'record 3', reason: 'Its kind is unknown.' },
  ]);
  expect(await exported(entries)).toEqual([values[0], values[3], values[4]]);
});

test('a record that is nested too deeply or has an infinite number is reported', () => {
  const deep = `${'['.repeat(195)}${']'.repeat(195)}`;
  const json = `[{"action":"null","args":{"x":${deep}}},{"action":"null","args":{"x":1e999}}]`;
  const { entries, problems } = readRecords(JSON.parse(json) as readonly unknown[], { newId: countedIds() });
  expect(entries).toEqual([]);
  expect(problems.map(({ place }) => place)).toEqual(['record 0', 'record 1']);
});

test.for(['{', '{}', '7', '['.repeat(500)])('%s is not a trajectory', (text) => {
  expect(() => parseTrajectory(text, 'x.json')).toThrow(InteropError);
});

test('the format recognises a trajectory and nothing else', async () => {
  const format = formats.find(({ name }) => name === 'v0');
  const text = fixtureText('v0/every-kind.json');
  expect(await format?.matches?.(filesOf('t', { 't.json': text }))).toBe(true);
  expect(await format?.matches?.(filesOf('t', { 't.json': `{"trajectory": ${text}}` }))).toBe(true);
  for (const other of ['{"a":1}', '', '[{"kind":"MessageEvent"}]', undefined]) {
    expect(await format?.matches?.(filesOf('t', { 't.json': other })), other).toBe(false);
  }
});

test('any log can be exported, and its export is exported again as it is', async () => {
  const logs = arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 25 });
  await fc.assert(
    fc.asyncProperty(logs, async (log) => {
      const records = await exported(log);
      const again = readRecords(records, { newId: countedIds() });
      expect(again.problems).toEqual([]);
      expect(await exported(again.entries)).toEqual(records);
    }),
    { numRuns: 40 },
  );
});

test('what is exported follows the rules of the classes of V0, whatever the log contains', async () => {
  const logs = arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 25 });
  await fc.assert(
    fc.asyncProperty(logs, async (log) => {
      expect(checkV0Records(await exported(log))).toEqual([]);
    }),
    { numRuns: 30 },
  );
  // Every kind of action and observation, written again without the differences of its import.
  const { entries } = readRecords(v0Fixture('every-kind'), { newId: countedIds() });
  const { events } = await activeBranch(entries);
  const { records } = writeRecords(events.filter((event) => !originFact.read(event)));
  expect(records.length).toBeGreaterThan(60);
  expect(checkV0Records(JSON.parse(JSON.stringify(records)) as readonly V0Record[])).toEqual([]);
});

test('any list of records is exported as it was imported', async () => {
  const known = v0Fixture('every-kind');
  const record = fc.oneof(
    fc.constantFrom(...known),
    fc.record({ action: fc.constantFrom('run', 'edit', 'message', 'x'), args: fc.jsonValue(), id: fc.jsonValue() }),
    fc.record({ observation: fc.constantFrom('run', 'error', 'recall'), extras: fc.jsonValue(), cause: fc.nat(9) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 12 }), async (records) => {
      const { entries } = readRecords(records, { newId: countedIds() });
      expect(await exported(entries)).toEqual(JSON.parse(JSON.stringify(records)));
    }),
    { numRuns: 40 },
  );
});

test('a later condensation without a summary keeps the summary, and a range forgets each event once', () => {
  const range = { forgotten_events_start_id: 0, forgotten_events_end_id: 9 };
  const again = { action: 'condensation', args: { ...range, forgotten_event_ids: null } };
  const log = [userMessage('a', 0), condense('kept', [0]), userMessage('b', 2), again, again, userMessage('c', 5)];
  const events = eventsOf(log);
  const { events: visible } = foldEvents(viewProjection(codec), events);
  expect(visible.map((event) => ('summary' in event ? event.summary : event.kind))).toEqual(['kept', 'MessageEvent']);
  const lists = events.flatMap((event) => (Condensation.is(event) ? [event.forgotten_event_ids.length] : []));
  expect(lists.slice(1)).toEqual([2, 0]);
});

test('nested delegates and condensations of everything cost no more than their log', async () => {
  const count = 300;
  const open = Array.from({ length: count }, (_, id) => ({ id, action: 'delegate', args: {} }));
  const close = open.map(({ id }) => ({ id: count + id, observation: 'delegate', cause: count - id - 1, content: '' }));
  const all = { forgotten_events_start_id: 0, forgotten_events_end_id: 2 * count };
  const forget = Array.from({ length: count }, () => ({ action: 'condensation', args: all }));
  const records = [...open, ...close, ...forget];
  const { entries } = readRecords(records, { newId: countedIds() });
  expect(JSON.stringify(entries).length).toBeLessThan(count * 6000);
  expect(await exported(entries)).toEqual(records);
});

test('a branch that is not active is not written, and is counted', async () => {
  const { entries } = readRecords(v0Fixture('legacy').slice(0, 1), { newId: countedIds() });
  const [first] = entries;
  const other = {
    ...codec.decode(first?.text ?? ''),
    id: '00000000-0000-4000-8000-999999999999',
    parent_id: '__root__',
  };
  const log = [
    ...entries,
    { seq: entries.length, id: other.id, kind: other.kind, parentId: '__root__', text: JSON.stringify(other) },
  ];
  const { events, dropped } = await activeBranch(log);
  expect(events.filter((event) => MessageEvent.is(event)).map(({ id }) => id)).toEqual([other.id]);
  expect(dropped).toMatchObject([{ subject: 'events of other branches', count: 1 }]);
});

function isStep(kind: string): boolean {
  return kind !== 'ConversationStateUpdateEvent';
}

function condense(summary: string, ids: readonly number[]): object {
  return { action: 'condensation', args: { forgotten_event_ids: ids, summary, summary_offset: 0 } };
}

function userMessage(content: string, id: number): object {
  return { id, source: 'user', action: 'message', args: { content } };
}

/** Returns the export of a reply with many calls. */
function exportOfCalls(count: number): string {
  const factory = eventFactory();
  const calls = Array.from({ length: count }, (_, index) => factory.call(`c${index}`, 'r1'));
  return JSON.stringify(writeRecords([factory.user('Look.'), ...calls]).records);
}

test('the size of an export grows linearly with the calls of one reply', async () => {
  expect(exportOfCalls(512).length / exportOfCalls(256).length).toBeLessThan(2.1);
  const records = JSON.parse(exportOfCalls(256)) as readonly unknown[];
  const { entries } = readRecords(records, { newId: countedIds() });
  const actions = entries.map(({ text }) => codec.decode(text)).filter((event) => ActionEvent.is(event));
  expect(new Set(actions.map(({ llm_response_id }) => llm_response_id))).toEqual(new Set(['r1', 'r1/2']));
  expect(await exported(entries)).toEqual(records);
});
