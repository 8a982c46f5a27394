import { expect, test } from 'vitest';
import { ActionEvent, type SecurityRisk } from '@varve/events/kinds';
import { FileEditorAction, TerminalAction, type Payload } from '@varve/events/payloads';
import type { RiskVerdict } from '@varve/events/facts';
import { isCoveredBy, reasonRows, sessionGrant, type WaitingCall } from './waiting-call.ts';

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
const own = { risk: 'LOW', text: 'The model rates it LOW.' } as const;

test.for<readonly [SecurityRisk, RiskVerdict | undefined, string]>([
  [
    'LOW',
    { risk: 'HIGH', reasons: [finding, own] },
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
  ['UNKNOWN', undefined, 'Its risk is not known, or every call is asked about.'],
  ['MEDIUM', undefined, "Model's risk rating: MEDIUM"],
])('a call that the model rates %s is shown with the reason why it waits', ([risk, verdict, row]) => {
  expect(reasonRows(call(rm, risk, verdict), 80)).toEqual([row]);
});

test.for<readonly [Payload, Payload, boolean]>([
  [rm, TerminalAction.create({ command: 'rm -rf build' }), true],
  [rm, TerminalAction.create({ command: 'rm -rf build\u00A0' }), false],
  [rm, TerminalAction.create({ command: ' rm -rf build' }), false],
  [rm, TerminalAction.create({ command: 'rm -rf build2' }), false],
  [rm, TerminalAction.create({ command: 'rm  -rf build' }), false],
  [rm, TerminalAction.create({ command: 'rm -rf build', reset: true }), false],
  [edit('/w/a.ts', 'x'), edit('/w/./b/../a.ts', 'y'), true],
  [edit('/w/a.ts', 'x'), edit('/w/b.ts', 'x'), false],
  [edit('/w/a.ts', 'x'), FileEditorAction.create({ command: 'create', path: '/w/a.ts', file_text: '' }), false],
])('an approval of %j for the session covers %j: %j', ([approved, later, isCovered]) => {
  expect(sessionGrant(call(approved))?.key === sessionGrant(call(later))?.key).toBe(isCovered);
});

function edit(path: string, text: string): Payload {
  return FileEditorAction.create({ command: 'str_replace', path, old_str: text, new_str: '' });
}

test('what changes the configuration of agents is never covered by an approval of another call', () => {
  const verdict = { risk: 'HIGH', reasons: [{ risk: 'HIGH', text: 'x', rule: 'config.write' }] } as const;
  const [first, second] = [edit('/w/link', 'x'), edit('/w/link', 'y')].map((action, at) => {
    const waiting = call(action, 'LOW', verdict);
    const { event } = waiting;
    return { ...waiting, event: { ...event, tool_call: { ...event.tool_call, arguments: JSON.stringify({ at }) } } };
  });
  const keys = [first, second, call(edit('/w/link', 'x'))].map((one) => one && sessionGrant(one)?.key);
  expect(new Set(keys).size).toBe(3);
  const rule = { decision: 'allow', on: 'tool', pattern: 'some_tool' } as const;
  expect(isCoveredBy([rule], call({ kind: 'OtherAction' }), '/w')).toBe(true);
  expect(isCoveredBy([rule], call({ kind: 'OtherAction' }, 'LOW', verdict), '/w')).toBe(false);
});
