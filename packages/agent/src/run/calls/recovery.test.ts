import { expect, test } from 'vitest';
import { ActionEvent } from '@varve/events/kinds';
import type { PendingCall } from '@varve/events/projections';
import type { Effect } from '@varve/tools';
import { countingTool } from '../../testing/counting-tool.ts';
import { recoveryDecision } from './recovery.ts';

const event = ActionEvent.create(
  {
    thought: [],
    action: { data: { text: 'a' }, kind: 'MCPToolAction' },
    tool_name: 'record',
    tool_call_id: 'c1',
    tool_call: { id: 'c1', name: 'record', arguments: '{"text":"a"}', origin: 'completion' },
    llm_response_id: 'r1',
  },
  { id: '00000001', timestamp: '2026-01-01T12:00:00.000000' },
);

const cases: readonly (readonly [Effect, Partial<PendingCall>, 'run' | 'answer'])[] = [
  ['write', { wasStoredBeforeStart: true }, 'run'],
  ['write', { wasStoredBeforeStart: true, hasEffect: true }, 'answer'],
  ['write', { wasStoredBeforeStart: false }, 'answer'],
  ['write', { wasStoredBeforeStart: false, hasEffect: true }, 'answer'],
  ['read', { wasStoredBeforeStart: false }, 'run'],
  ['idempotent', { wasStoredBeforeStart: false }, 'run'],
  ['read', { isExecutable: false }, 'answer'],
];

test.for(cases)('an unanswered %s call with %o: %s', ([effect, facts, verdict]) => {
  const call = { event, isExecutable: true, wasStoredBeforeStart: false, hasEffect: false, ...facts };
  expect(recoveryDecision(call, new Map([['record', countingTool({ effect }).tool()]])).kind).toBe(verdict);
});

test('a call of a removed tool, or of a tool with changed arguments, is answered', () => {
  const call = { event, isExecutable: true, wasStoredBeforeStart: true, hasEffect: false };
  expect(recoveryDecision(call, new Map())).toMatchObject({
    error: expect.stringContaining('record is no longer available'),
  });
  const changed = { ...event, action: { data: { other: 1 }, kind: 'MCPToolAction' } };
  const tools = new Map([['record', countingTool().tool()]]);
  expect(recoveryDecision({ ...call, event: changed }, tools)).toMatchObject({
    error: expect.stringContaining('no longer accepts'),
  });
});
