import { expect, test } from 'vitest';
import { text } from '@varve/events';
import { effectFact } from '@varve/events/facts';
import { ActionEvent, MessageEvent, ObservationEvent } from '@varve/events/kinds';
import { TaskTrackerAction, TerminalAction, TerminalObservation } from '@varve/events/payloads';
import { eventFormatter } from './event-formatter.ts';

const stamp = (id: string) => ({ id: id.repeat(8), timestamp: '2026-01-01T12:00:00.000000' });

const call = (id: string, command: string) =>
  ActionEvent.create(
    {
      thought: [],
      action: TerminalAction.create({ command }),
      tool_name: 'terminal',
      tool_call_id: id,
      tool_call: { id, name: 'terminal', arguments: '{}', origin: 'completion' },
      llm_response_id: 'r1',
    },
    stamp(id),
  );

const result = (id: string, action: string, output: string) =>
  ObservationEvent.create(
    {
      tool_name: 'terminal',
      tool_call_id: action,
      observation: TerminalObservation.create({ content: [text(output)], exit_code: 0 }),
      action_id: action.repeat(8),
    },
    stamp(id),
  );

const start = (id: string, action: string, sandbox?: string) =>
  effectFact.create(
    { action_id: action.repeat(8), idempotency_key: 'k', at: 1, ...(sandbox !== undefined && { sandbox }) },
    stamp(id),
  );

const formatted = (events: readonly ReturnType<typeof call | typeof result | typeof start>[]) => {
  const format = eventFormatter();
  return events.flatMap((event) => format(event).map((line) => line.text));
};

test('a result directly after its call is formatted alone', () => {
  expect(formatted([call('a', 'one'), result('b', 'a', '1')])).toEqual(['$ one', '  1']);
});

test('the sandbox of calls is formatted when it changes', () => {
  const once = [call('a', 'one'), start('b', 'a'), start('c', 'a', 'workspace'), result('d', 'a', '1')];
  expect(formatted([...once, call('e', 'two'), start('f', 'e', 'workspace'), start('0', 'e', 'off')])).toEqual([
    '$ one',
    'in the sandbox (profile workspace)',
    '  1',
    '$ two',
    'outside of the sandbox',
  ]);
});

test('results of parallel calls repeat the line of their call', () => {
  expect(formatted([call('a', 'one'), call('b', 'two'), result('c', 'a', '1'), result('d', 'b', '2')])).toEqual([
    '$ one',
    '$ two',
    '↳ $ one',
    '  1',
    '↳ $ two',
    '  2',
  ]);
});

test('the repeated line of a plan does not contain all of its tasks', () => {
  const task_list = [{ title: 'See which tests fail', notes: '', status: 'todo' as const }];
  const plan = ActionEvent.create(
    { ...call('a', ''), action: TaskTrackerAction.create({ command: 'plan', task_list }), tool_name: 'task_tracker' },
    stamp('a'),
  );
  expect(formatted([plan, call('b', 'two'), result('c', 'a', '1')])).toEqual(['☰ plan', '$ two', '↳ ☰ plan', '  1']);
});

test('of what was added to a message the first line is shown', () => {
  const content = [text('See @a.txt,\nplease'), text('The user attached @a.txt:\none\ntwo'), text('short')];
  const event = MessageEvent.create({ source: 'user', llm_message: { role: 'user', content } }, stamp('a'));
  const [line] = eventFormatter()(event);
  expect(line?.text).toBe('› See @a.txt,\nplease\nThe user attached @a.txt: … (2 more lines)\nshort');
});
