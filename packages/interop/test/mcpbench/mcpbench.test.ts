import { eventCodec, type BaseEvent } from '@varve/events';
import { callFact } from '@varve/events/facts';
import {
  builtinKinds,
  ConversationErrorEvent,
  ConversationStateUpdateEvent,
  SystemPromptEvent,
} from '@varve/events/kinds';
import { FinishAction } from '@varve/events/payloads';
import { checkMessages, foldEvents, messageBuilder, viewProjection } from '@varve/events/projections';
import { arbitraryLog, eventFactory, type Log } from '@varve/events/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { activeBranch, formats, type ForeignLog, type LogFormat } from '../../src/index.ts';
import {
  fromLogJson,
  historyFormat,
  historyText,
  keyStats,
  logJsonFormat,
  mcpbenchStats,
  readHistory,
  resetMessage,
  stopOf,
  stopStatus,
  toLogJson,
  toMcpbenchLogs,
  truncationHistory,
  truncationOf,
  turnsOf,
  writeHistory,
} from '../../src/mcpbench/index.ts';
import { readJsonLines } from '../../src/common/json-lines.ts';
import { countedIds, filesOf, fixtureText } from '../fixture.ts';

type Fields = Readonly<Record<string, unknown>>;
const codec = eventCodec(builtinKinds);
const history = fixtureText('mcpbench/history.jsonl');
const logJson = JSON.parse(fixtureText('mcpbench/log.json')) as Fields;
const readLines = (text: string): ForeignLog => readHistory(readJsonLines(text), { newId: countedIds() });
const decoded = ({ entries }: ForeignLog): readonly BaseEvent[] => entries.map(({ text }) => codec.decode(text));

async function imported(format: LogFormat, name: string, text: string): Promise<ForeignLog> {
  const files = filesOf(name, { [name]: text });
  const found = await Promise.all(formats.map(async (one) => (await one.matches?.(files)) ?? false));
  expect(formats.find((_, index) => found[index])?.name).toBe(format.name);
  const [log] = (await format.read?.(files, { newId: countedIds() })) ?? [];
  if (!log) throw new Error('Nothing was read.');
  return log;
}

async function exported(format: LogFormat, { entries }: ForeignLog): Promise<string> {
  const { events } = await activeBranch(entries);
  return format.write?.({ id: 'mine', events }).files[0]?.text ?? '';
}

/** A log with everything: a prompt, a reply of two calls, an error, a rejection and a condensation. */
function everything() {
  const made = eventFactory();
  const [prompt, question] = [made.prompt('You help.'), made.user('Look.')];
  const thought = [{ cache_prompt: false, type: 'text' as const, text: 'I look.' }];
  const calls = [
    made.call('c1', 'r1', { thought, arguments: '{"command": "ls"}' }),
    made.call('c2', 'r1'),
    made.call('c3', 'r1'),
  ];
  const results = [made.result(0, 'a.txt'), made.error('c2'), made.reject(2)];
  const condensation = made.condensation([question, ...calls, ...results], { text: 'S', offset: 1 });
  return { made, calls, events: [prompt, question, ...calls, ...results, condensation, made.agent('One file.')] };
}

describe('logs of mcpbench_dev', () => {
  const { events, calls } = everything();

  test('have one message per event by the rules of the seed', () => {
    const { messages, dropped } = toMcpbenchLogs(events, { profile: 'seed' });
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Look.'],
      ['assistant', 'I look.'],
      ['assistant', ''],
      ['assistant', ''],
      ['tool', 'a.txt'],
      ['assistant', 'One file.'],
    ]);
    expect(messages[1]?.tool_calls?.[0]?.function.arguments).toBe(JSON.stringify(calls[0]?.action));
    expect(messages[4]).toMatchObject({ tool_call_id: 'c1', name: 'terminal' });
    expect(dropped.map(({ subject }) => subject)).toEqual([
      'SystemPromptEvent',
      'AgentErrorEvent',
      'UserRejectObservation',
      'Condensation',
    ]);
  });

  test('contain the prompt, errors and rejections in the strict profile, and one message per reply', () => {
    const { messages } = toMcpbenchLogs(events);
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'tool',
      'assistant',
    ]);
    const written = messages[2]?.tool_calls?.map((call) => [call.id, call.function.arguments]);
    expect(written).toEqual([
      ['c1', '{"command": "ls"}'],
      ['c2', '{}'],
      ['c3', '{}'],
    ]);
    expect(messages.slice(3, 6).every(({ name, content }) => name === 'terminal' && content !== '')).toBe(true);
    const named = toMcpbenchLogs(events, { profile: 'toolathlon' }).messages.filter(({ name }) => name !== undefined);
    expect(named).toEqual([]);
  });

  test('are legal messages for a provider after they were read', () => {
    const { messages } = toMcpbenchLogs(events, { profile: 'toolathlon' });
    const view = foldEvents(viewProjection(codec), decoded(fromLogJson({ messages }, { newId: countedIds() })));
    expect(checkMessages(messageBuilder(codec)(view.events))).toEqual([]);
  });

  test('have four counters under their own keys', () => {
    expect(mcpbenchStats(events)).toEqual({ interaction_turns: 1, tool_calls: 3, errors: 1, condensations: 1 });
  });

  test('have six numbers of the agent and six of the history', () => {
    const { made } = everything();
    const digests = { messages: '', tools: '', parameters: '' };
    const usage = {
      input_tokens: 100,
      output_tokens: 20,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
    };
    const call = {
      response_id: 'r1',
      actions: [],
      usage_id: 'agent',
      model: 'm',
      finish: 'stop',
      latency_ms: 1,
      at: 1,
    };
    const fact = callFact.create({ ...call, usage, cost_usd: 0.5, digests, projections: {} }, made.stamp());
    expect(keyStats([...events, fact])).toEqual({
      interaction_turns: 1,
      tool_calls: 3,
      agent_llm_requests: 1,
      total_tokens: 120,
      input_tokens: 100,
      output_tokens: 20,
      total_turns: 3,
      total_messages: 7,
      truncations: 1,
      user_input_turns: 1,
      assistant_turns: 2,
    });
    expect(keyStats(events)).toMatchObject({ agent_llm_requests: 2, total_tokens: 0 });
    expect(toLogJson([...events, fact], 's')).toMatchObject({
      agent_cost: { total_cost: 0.5, total_input_tokens: 100, total_output_tokens: 20, total_requests: 1 },
      key_stats: { total_tokens: 120 },
    });
  });
});

describe('history.jsonl', () => {
  test('of the sample is imported and exported as it was', async () => {
    const log = await imported(historyFormat, 'task_x_session_history.jsonl', history);
    expect(log).toMatchObject({ id: 'task_x_session', problems: [], dropped: [] });
    expect(await exported(historyFormat, log)).toBe(history);
    expect(toMcpbenchLogs(decoded(log), { profile: 'toolathlon' }).messages).toEqual(logJson['messages']);
  });

  test('keeps lines without an event, unknown fields, and sorts by turn and step', async () => {
    const lines = [
      { in_turn_steps: 0, turn: 0, timestamp: 'x', type: 'initial_input', content: [{ role: 'user' }] },
      { in_turn_steps: 1, turn: 0, type: 'user_input', content: ['a'], note: 1 },
      { in_turn_steps: 0, turn: 1, item_type: 'reasoning_item', raw_content: {} },
      {
        in_turn_steps: 1,
        turn: 1,
        item_type: 'tool_call_item',
        raw_content: { call_id: 'c', name: 'n', arguments: '' },
      },
      { in_turn_steps: 2, turn: 1, item_type: 'tool_call_item', raw_content: { call_id: 'd' } },
      {
        in_turn_steps: 3,
        turn: 1,
        item_type: 'tool_call_output_item',
        raw_content: { call_id: 'd', output: { a: 1 } },
      },
      { in_turn_steps: 4, turn: 1, item_type: 'tool_call_output_item', raw_content: { call_id: 'lost', output: '' } },
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const log = readLines(
      `{broken\n${lines
        .toReversed()
        .map((line) => JSON.stringify(line))
        .join('\n')}`,
    );
    expect(log.problems.map(({ place }) => place)).toEqual(['line 1', 'line 6', 'line 2']);
    expect(await exported(historyFormat, log)).toBe(text);
  });

  test('any lines in their order are exported as they were imported', async () => {
    const raw = fc.record({
      call_id: fc.constantFrom('a', 'b'),
      name: fc.string(),
      arguments: fc.json(),
      output: fc.string(),
      content: fc.string(),
    });
    const line = fc.record(
      {
        item_type: fc.constantFrom('message_output_item', 'tool_call_item', 'tool_call_output_item', 'other'),
        type: fc.constantFrom('user_input', 'initial_input'),
        agent: fc.constantFrom('', 'Assistant', 'other'),
        timestamp: fc.constantFrom('2025-09-01T08:00:00.000001', '', 'x'),
        content: fc.jsonValue(),
        raw_content: raw,
        future: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(line, fc.boolean()), { minLength: 1, maxLength: 10 }), async (drafts) => {
        let [turn, step] = [0, 0];
        const lines = drafts.map(([draft, isNew]) => {
          if (isNew) [turn, step] = [turn + 1, 0];
          return JSON.parse(JSON.stringify({ ...draft, turn, in_turn_steps: step++ })) as unknown;
        });
        const log = readLines(lines.map((one) => JSON.stringify(one)).join('\n'));
        const again = await exported(historyFormat, log);
        expect(readJsonLines(again).lines.map(({ fields }) => fields)).toEqual(lines);
      }),
      { numRuns: 40 },
    );
  });

  test('is appended to after its last whole line, and only its end is read', async () => {
    const made = eventFactory();
    const more = [made.user('And now?'), made.call('c9', 'r9'), made.result(0, 'x')];
    const tail = history.slice(-300);
    const added = historyText(more, { tail });
    expect(readJsonLines(added).lines.map(({ fields: { turn, in_turn_steps } }) => [turn, in_turn_steps])).toEqual([
      [2, 0],
      [3, 0],
      [3, 1],
    ]);
    expect(readLines(history + added).problems).toEqual([]);
    const cut = `${history}{"in_turn_steps":3,"tu`;
    expect(historyText(more, { tail: cut.slice(-300) })).toBe(`\n${added}`);
    expect(historyText([], { tail: cut })).toBe('');
    expect(readJsonLines(historyText(more)).lines[0]?.fields).toMatchObject({ turn: 0, in_turn_steps: 0 });
  });

  test('of an import continues with the turns of new events', async () => {
    const log = await imported(historyFormat, 'x_history.jsonl', history);
    const { events } = await activeBranch(log.entries);
    const lines = writeHistory([...events, eventFactory().user('And now?')]).lines;
    expect(lines.at(-1)).toMatchObject({ turn: 2, in_turn_steps: 0, content: 'And now?' });
  });

  test('of any log can be read, and is written again as it is', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 25 }), async (log) => {
        const { events } = await activeBranch(log);
        const text = writeHistory(events)
          .lines.map((line) => `${JSON.stringify(line)}\n`)
          .join('');
        expect(await exported(historyFormat, readLines(text))).toBe(text);
      }),
      { numRuns: 40 },
    );
  });
});

describe('log.json', () => {
  test('of the sample is imported and exported as it was', async () => {
    const log = await imported(logJsonFormat, 'log.json', JSON.stringify(logJson));
    expect(log).toMatchObject({ id: 'task_x_session', problems: [] });
    expect(JSON.parse(await exported(logJsonFormat, log))).toMatchObject(logJson);
  });

  test('of an import that is continued has new statistics, and costs are added', async () => {
    const log = await imported(logJsonFormat, 'log.json', JSON.stringify(logJson));
    const { events } = await activeBranch(log.entries);
    const continued = [...events, eventFactory().user('Thanks. #### STOP')];
    const [file] = logJsonFormat.write?.({ id: 'x', events: continued }).files ?? [];
    expect(JSON.parse(file?.text ?? '')).toMatchObject({
      status: 'success',
      resumed: true,
      key_stats: { interaction_turns: 2 },
      agent_cost: { total_cost: 0.001, total_input_tokens: 100 },
    });
  });

  test('is the same list of messages after any log was written and read', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLog<fc.Arbitrary<Log>>(fc, { maxEvents: 25 }), async (entries) => {
        const { events } = await activeBranch(entries);
        // A chat has one prompt, at its start.
        const written = events.filter((event, index) => index === 0 || !SystemPromptEvent.is(event));
        const { messages } = JSON.parse(JSON.stringify(toLogJson(written, 's'))) as Fields;
        const read = fromLogJson({ messages }, { newId: countedIds() });
        const again = toMcpbenchLogs(decoded(read), { profile: 'toolathlon' }).messages;
        // A result whose call is on another branch is reported, and the other messages are the same.
        const lost = new Set(read.problems.map(({ place }) => place));
        const kept = (messages as readonly unknown[]).filter((_, index) => !lost.has(`message ${index}`));
        expect(JSON.parse(JSON.stringify(again))).toEqual(kept);
      }),
      { numRuns: 40 },
    );
  });

  test('without messages is refused', async () => {
    const files = filesOf('log.json', { 'log.json': '{"config":{}}' });
    await expect(logJsonFormat.read?.(files, { newId: countedIds() })).rejects.toMatchObject({ code: 'invalid' });
  });
});

describe('a task of mcpbench_dev', () => {
  const made = eventFactory();
  const question = made.user('Do it.');
  const error = (code: string): BaseEvent =>
    ConversationErrorEvent.create({ source: 'environment', code, detail: '' }, made.stamp());
  const status = (value: string): BaseEvent =>
    ConversationStateUpdateEvent.create({ key: 'execution_status', value }, made.stamp());
  const finish = made.call('f', 'r', { action: FinishAction.create({ message: 'Done.' }), tool_name: 'finish' });

  test('stops at the marker of the user, at the tool that claims it is done, and at limits', () => {
    const claim = made.call('c', 'r', { tool_name: 'claim_done' });
    const done = { ...made.error('c'), tool_name: 'claim_done' };
    expect(stopOf([question])).toBeUndefined();
    expect(stopOf([question, made.user('Thanks. #### STOP')])).toEqual({ by: 'user', status: 'success' });
    expect(stopOf([made.user('BYE')], { userMarker: 'BYE' })?.by).toBe('user');
    expect(stopOf([question, made.agent('#### STOP')])).toBeUndefined();
    expect(stopOf([question, claim])).toBeUndefined();
    expect(stopOf([question, claim, done])).toEqual({ by: 'tool', status: 'success' });
    expect(stopOf([question, made.agent('A')], { maxTurns: 2 })).toEqual({ by: 'turns', status: 'max_turns_reached' });
    expect(stopOf([question, made.agent('A')], { maxTurns: 3, maxRequests: 1 })?.by).toBe('requests');
  });

  test.for<readonly [string, readonly BaseEvent[], string]>([
    ['finish', [question, finish], 'success'],
    ['a finished run', [question, status('finished')], 'success'],
    ['too many steps', [question, error('MaxIterationsReached')], 'max_turns_reached'],
    ['too much time', [question, error('MaxTimeReached')], 'timeout'],
    ['an error', [question, error('unauthenticated')], 'failed'],
    ['a stuck agent', [question, status('stuck')], 'failed'],
    ['nothing', [question], 'interrupted'],
    ['a pause', [question, status('paused')], 'interrupted'],
  ])('that ended with %s has its status', ([, events, expected]) => {
    expect(stopStatus(events)).toBe(expected);
  });
});

describe('truncation of mcpbench_dev', () => {
  const made = eventFactory();
  const turns = [
    [made.user('1')],
    [made.call('a', 'r1'), made.call('b', 'r1'), made.result(0), made.result(1)],
    [made.user('2')],
    [made.agent('3')],
  ];
  const events = [made.prompt(), ...turns.flat()];
  const at = { timestamp: '2025-09-01T08:00:00', reason: 'full' };

  test('has a turn per message of the user and per reply with its results', () => {
    expect(turnsOf(events)).toEqual(turns);
  });

  test.for([
    ['keep_recent_turns', 1, 3],
    ['keep_recent_turns', 0, 3],
    ['keep_recent_turns', 9, 0],
    ['keep_recent_percent', 50, 2],
    ['delete_first_turns', 2, 2],
    ['delete_first_percent', 30, 1],
    ['delete_first_percent', 100, 3],
  ] as const)('%s with %i deletes %i turns, calls with their results', ([method, value, count]) => {
    const { forgottenIds, record } = truncationOf(events, { method, value, ...at });
    const deleted = turns
      .slice(0, count)
      .flat()
      .map(({ id }) => id);
    expect(forgottenIds).toEqual(deleted);
    expect(record).toEqual({ at_turn: 3, method, value, deleted_items: deleted.length, deleted_turns: count, ...at });
  });

  test('has a record per condensation that removed events', () => {
    const [, , ...rest] = events;
    const condensation = made.condensation(rest.slice(0, 4));
    expect(truncationHistory([...events, condensation, made.condensation([])])).toEqual([
      {
        at_turn: 3,
        method: 'condensation',
        value: null,
        deleted_items: 4,
        deleted_turns: 1,
        timestamp: condensation.timestamp,
      },
    ]);
  });

  test('resets a context to the task and an overview of the last turns', () => {
    expect(resetMessage(events, 2)).toBe('1\n\nThe context was reset. The last turns were:\n1. user: 2\n2. agent: 3');
    expect(resetMessage(events)).toContain('agent: called terminal.');
  });
});
