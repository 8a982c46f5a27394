import { expect, test } from 'vitest';
import { ActionEvent, type SecurityRisk } from '@varve/events/kinds';
import { TerminalAction, type Payload } from '@varve/events/payloads';
import type { RiskVerdict } from '@varve/events/facts';
import type { WaitingCall } from '@varve/host/people';
import { callRows, placeRows, reasonRows } from './call-rows.ts';

function call(action: Payload, risk: SecurityRisk = 'UNKNOWN', verdict?: RiskVerdict): WaitingCall {
  const event = ActionEvent.create(
    {
      thought: [],
      action,
      tool_name: 'some_tool',
      tool_call_id: 'c1',
      tool_call: { id: 'c1', name: 'some_tool', arguments: '{}', origin: 'completion' },
      llm_response_id: 'r1',
      security_risk: risk,
    },
    { id: '00000001', timestamp: '2026-01-01T12:00:00.000000' },
  );
  return { event, ...(verdict && { review: { asks: true, verdict } }) };
}

const rm = TerminalAction.create({ command: 'rm -rf build' });
const finding = { risk: 'HIGH', text: 'rm -rf build', rule: 'exec.destruct.rm_rf' } as const;
const rating = { risk: 'LOW', text: 'The model rates it LOW.' } as const;

test.for<readonly [SecurityRisk, RiskVerdict | undefined, string]>([
  [
    'LOW',
    { risk: 'HIGH', reasons: [finding, rating] },
    'HIGH: rm -rf build (rule exec.destruct.rm_rf); the model rates it LOW',
  ],
  [
    'UNKNOWN',
    { risk: 'HIGH', reasons: [finding] },
    'HIGH: rm -rf build (rule exec.destruct.rm_rf); the model did not rate it',
  ],
  [
    'HIGH',
    { risk: 'HIGH', reasons: [{ risk: 'HIGH', text: 'The model rates it HIGH.' }] },
    'HIGH: the model rates it HIGH',
  ],
  [
    'LOW',
    { risk: 'HIGH', reasons: [{ ...finding, text: 'The model > /etc/passwd' }, rating] },
    'HIGH: The model > /etc/passwd (rule exec.destruct.rm_rf); the model rates it LOW',
  ],
  [
    'UNKNOWN',
    { risk: 'UNKNOWN', reasons: [{ risk: 'UNKNOWN', text: 'It is not known what this tool does.' }] },
    'UNKNOWN: It is not known what this tool does; the model did not rate it',
  ],
  ['UNKNOWN', undefined, 'Its risk is not known, or every call is asked about.'],
  ['MEDIUM', undefined, "Model's risk rating: MEDIUM"],
])('a call that the model rates %s is shown with the reason why it waits', ([risk, verdict, row]) => {
  expect(reasonRows(call(rm, risk, verdict), 100)).toEqual([row]);
});

test.for<readonly [directories: readonly string[], action: Payload, row: string]>([
  [[], rm, ''],
  [['sub'], rm, 'May start in sub, where earlier commands leave the shell.'],
  [['sub', '/etc'], rm, 'May start in sub or /etc, where earlier commands leave the shell.'],
  [['a\u202E\n'], rm, 'May start in a<202E><000A>, where earlier commands leave the shell.'],
  [['sub'], TerminalAction.create({ command: 'ls', reset: true }), ''],
  [['sub'], TerminalAction.create({ command: 'y', is_input: true }), ''],
  [['sub'], { kind: 'OtherAction' }, ''],
])('with the shell in %j, %j is shown with its place', ([directories, action, row]) => {
  expect(placeRows(call(action), { workspace: '/w', directories }, 100).join('\n')).toBe(row);
});

test('a call with other arguments is shown as it would run', () => {
  const approvedAction = TerminalAction.create({ command: 'rm -rf build/cache' });
  expect(callRows({ ...call(rm), approvedAction }, 100)).toEqual(['│ $ rm -rf build/cache']);
});
