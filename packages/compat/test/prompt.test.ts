import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { activeBranch } from '@varve/interop';
import { readRecords, writeRecords, type V0Record } from '@varve/interop/records';
import { countedIds, v0Fixture } from './fixture.ts';
import { promptOfRecords } from '../src/v0/prompt.ts';
import { viewOfRecords } from '../src/v0/record-view.ts';
import { replayPlan } from '../src/v0/replay.ts';

const records = v0Fixture('every-kind');
const userMessage = (content: string, id: number, source = 'user'): V0Record => ({
  id,
  source,
  action: 'message',
  args: { content },
});

const condense = (args: object): V0Record => ({ action: 'condensation', args });

describe('the prompt of a V0 log', () => {
  test('is as in its golden file', async () => {
    const lines = promptOfRecords(records, { hasVision: true }).map((message) => `${JSON.stringify(message)}\n`);
    await expect(lines.join('')).toMatchFileSnapshot('golden/prompt.jsonl');
  });

  test('is made within the time of a test of a log with many calls without results', () => {
    const calls = Array.from({ length: 30_000 }, (_, id): V0Record => ({
      id,
      action: 'run',
      tool_call_metadata: { tool_call_id: `c${id}`, function_name: 'run', model_response: { id: `r${id}` } },
    }));
    const result = { observation: 'run', content: 'x', tool_call_metadata: { tool_call_id: 'c7' } };
    expect(promptOfRecords([...calls, result]).map(({ role }) => role)).toEqual(['assistant', 'tool']);
  });

  test('starts with the system prompt and the first message of the user, which condensations may forget', () => {
    const forget = { action: 'condensation', args: { forgotten_event_ids: [0, 1] } };
    const prompt = promptOfRecords([userMessage('first', 0), userMessage('second', 1), forget], {
      systemPrompt: 'You help.',
    });
    expect(prompt.map(({ role, content }) => [role, content])).toEqual([
      ['system', [{ type: 'text', text: 'You help.' }]],
      ['user', [{ type: 'text', text: 'first' }]],
    ]);
  });

  test('has one message for all calls of a response, directly before their results in call order', () => {
    const prompt = promptOfRecords(records);
    const at = prompt.findIndex(({ tool_calls }) => tool_calls?.length === 2);
    expect(prompt.slice(at + 1, at + 3).map(({ tool_call_id }) => tool_call_id)).toEqual(['call_a', 'call_b']);
  });

  test('leaves out calls without a result, and results without a call', () => {
    const all = records.filter(({ action }) => action !== 'condensation');
    const call = all.findIndex(({ action }) => action === 'run');
    const without = (index: number) => JSON.stringify(promptOfRecords(all.toSpliced(index, 1)));
    expect(JSON.stringify(promptOfRecords(all))).toContain('"call_1"');
    expect([without(call), without(call + 1)].filter((text) => text.includes('"call_1"'))).toEqual([]);
  });

  test('is legal for any part of a log', () => {
    fc.assert(
      fc.property(fc.subarray([...records]), (part) => {
        const open: unknown[] = [];
        const misplaced: unknown[] = [];
        for (const { role, tool_calls: calls = [], tool_call_id } of promptOfRecords(part)) {
          const expected = open.shift();
          if (expected !== (role === 'tool' ? tool_call_id : undefined)) misplaced.push([role, expected]);
          open.push(...calls.map((call) => ('id' in call ? call.id : '')));
        }
        expect(misplaced).toEqual([]);
        expect(open).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  test('cuts long results in the middle, and separates messages of the user', () => {
    const long = { observation: 'error', content: 'x'.repeat(500) };
    const prompt = promptOfRecords([userMessage('a', 0), userMessage('b', 1), long], { maxMessageChars: 100 });
    const texts = prompt.flatMap(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')));
    expect(texts.map((text) => text.slice(0, 3))).toEqual(['a', '\n\nb', '\n\nx']);
    expect(texts[2]?.length).toBeLessThanOrEqual(102);
  });
});

test('the view of V0 forgets ids and ranges, and shows only the newest summary', () => {
  const log = [
    userMessage('a', 0),
    userMessage('b', 1),
    condense({ forgotten_event_ids: [0], summary: 'old', summary_offset: 0 }),
    userMessage('c', 3),
    condense({ forgotten_events_start_id: 1, forgotten_events_end_id: 2, summary: 'new', summary_offset: 1 }),
    { action: 'condensation_request' },
  ];
  expect(viewOfRecords(log).map(({ id, content }) => id ?? content)).toEqual([3, 'new']);
});

describe('a replay', () => {
  test('of our own export repeats its actions from the first message of the user', async () => {
    const { entries } = readRecords(v0Fixture('legacy'), { newId: countedIds() });
    const { events } = await activeBranch(
      entries.filter(({ text }) => !text.includes('varve.origin')).map((entry, seq) => ({ ...entry, seq })),
    );
    const exported = writeRecords(events).records;
    const { initial, actions } = replayPlan(exported);
    expect(initial).toMatchObject({ action: 'message', args: { content: 'Hi' } });
    expect(actions.map(({ action }) => action)).toEqual(['run', 'call_tool_mcp', 'finish']);
  });

  test('has no ids, no observations and nothing that follows from other records', () => {
    const { actions } = replayPlan(records);
    expect(actions.filter((record) => 'id' in record || 'observation' in record)).toEqual([]);
    expect(actions.map(({ action }) => action)).not.toContain('recall');
  });

  test('waits for the user after its last action only', () => {
    const asks = (id: number): V0Record => ({
      ...userMessage('?', id, 'agent'),
      args: { content: '?', wait_for_response: true },
    });
    const { actions } = replayPlan([userMessage('a', 0), asks(1), asks(2)]);
    expect(actions.map(({ args }) => args)).toMatchObject([{ wait_for_response: false }, { wait_for_response: true }]);
  });

  test.for([[], [{ action: 'run', source: 'agent' }]])('of %j is refused', (list) => {
    expect(() => replayPlan(list)).toThrow('does not start with a message of the user');
  });
});
