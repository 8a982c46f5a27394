import { eventCodec, type BaseEvent } from '@varve/events';
import { builtinKinds, SystemPromptEvent } from '@varve/events/kinds';
import { arbitraryLog, eventFactory, type Log } from '@varve/events/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { activeBranch, formats, type ForeignLog, type LogFormat } from '../../src/index.ts';
import { historyFormat, writeHistory } from '../../src/mcpbench/history-format.ts';
import { logJsonFormat, fromLogJson, toLogJson } from '../../src/mcpbench/log-json.ts';
import { readHistory } from '../../src/mcpbench/read-history.ts';
import { readJsonLines } from '../../src/common/json-lines.ts';
import { countedIds, filesOf, fixtureText } from '../fixture.ts';
import { historyText } from '../../src/mcpbench/history-writer.ts';
import { toMcpbenchLogs } from '../../src/mcpbench/logs.ts';

type Fields = Readonly<Record<string, unknown>>;
const codec = eventCodec(builtinKinds);
const history = fixtureText('mcpbench/history.jsonl');
const logJson = JSON.parse(fixtureText('mcpbench/log.json')) as Fields;
const readLines = (text: string): ForeignLog => readHistory(readJsonLines(text), { newId: countedIds() });
const decoded = ({ entries }: ForeignLog): readonly BaseEvent[] => entries.map(({ text }) => codec.decode(text));

async function imported(format: LogFormat, name: string, text: string): Promise<ForeignLog> {
  const files = filesOf(name, { [name]: text });
  const matching = await Promise.all(formats.map(async (candidate) => (await candidate.matches?.(files)) ?? false));
  expect(formats.find((_, index) => matching[index])?.name).toBe(format.name);
  const [log] = (await format.read?.(files, { newId: countedIds() })) ?? [];
  if (!log) throw new Error('Nothing was read.');
  return log;
}

async function exported(format: LogFormat, { entries }: ForeignLog): Promise<string> {
  const { events } = await activeBranch(entries);
  return format.write?.({ id: 'mine', events }).files[0]?.text ?? '';
}

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
        const log = readLines(lines.map((entry) => JSON.stringify(entry)).join('\n'));
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
