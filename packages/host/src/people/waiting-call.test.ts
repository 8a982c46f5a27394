import { expect, test } from 'vitest';
import { ActionEvent, type SecurityRisk } from '@varve/events/kinds';
import { FileEditorAction, TerminalAction, type Payload } from '@varve/events/payloads';
import type { RiskVerdict } from '@varve/events/facts';
import { isCoveredBy, proposedRules, sessionGrant, type WaitingCall } from './waiting-call.ts';

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

const place = { workspace: '/w', directories: [] };
const rm = TerminalAction.create({ command: 'rm -rf build' });

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
  expect(sessionGrant(call(approved), place)?.key === sessionGrant(call(later), place)?.key).toBe(isCovered);
});

test.for(
  [[], ['/etc'], ['sub'], ['/etc', 'sub']].flatMap((from) => [[], ['/etc'], ['sub', '/etc']].map((to) => [from, to])),
)('an approval of a command in %j covers the same command in %j only if these are the same', ([from = [], to = []]) => {
  const [first, second] = [from, to].map((directories) => sessionGrant(call(rm), { workspace: '/w', directories }));
  expect(first?.key === second?.key).toBe(from.toSorted().join() === to.toSorted().join());
  expect(sessionGrant(call(rm), { workspace: '/other', directories: from })?.key).not.toBe(first?.key);
});

test('an approval for the session counts in its workspace only, whatever is called', () => {
  const view = FileEditorAction.create({ command: 'view', path: '/w/a' });
  for (const action of [rm, view, { kind: 'OtherAction' }]) {
    const [here, elsewhere] = [place, { ...place, workspace: '/other' }].map((context) =>
      sessionGrant(call(action), context),
    );
    expect(here?.key).not.toBe(elsewhere?.key);
  }
});

test('a rule that was learned for a file does not cover a command in another directory', () => {
  const rules = [
    { decision: 'allow', on: 'command', pattern: 'echo x' },
    { decision: 'allow', on: 'path', pattern: './out.txt' },
  ] as const;
  const write = call(TerminalAction.create({ command: 'echo x > out.txt' }));
  expect(isCoveredBy(rules, write, place)).toBe(true);
  expect(isCoveredBy(rules, write, { ...place, directories: ['/etc'] })).toBe(false);
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
  const keys = [first, second, call(edit('/w/link', 'x'))].map(
    (waiting) => waiting && sessionGrant(waiting, place)?.key,
  );
  expect(new Set(keys).size).toBe(3);
  const rule = { decision: 'allow', on: 'tool', pattern: 'some_tool' } as const;
  expect(isCoveredBy([rule], call({ kind: 'OtherAction' }), place)).toBe(true);
  expect(isCoveredBy([rule], call({ kind: 'OtherAction' }, 'LOW', verdict), place)).toBe(false);
});

test('arguments that a person changed are approved once only', () => {
  const changed = { ...call(rm), approvedAction: TerminalAction.create({ command: 'rm -rf build/cache' }) };
  expect([proposedRules(call(rm), place), sessionGrant(call(rm), place)]).not.toEqual([[], undefined]);
  expect([proposedRules(changed, place), sessionGrant(changed, place)]).toEqual([[], undefined]);
});
