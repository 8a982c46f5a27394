import { eventFactory } from '@varve/events/testing';
import { describe, expect, test } from 'vitest';
import { resetMessage, truncationHistory, truncationOf, turnsOf } from '../src/mcpbench/truncation.ts';

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
