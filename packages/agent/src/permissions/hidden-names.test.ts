import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { TerminalAction } from '@varve/events/payloads';
import { countingTool } from '../testing/counting-tool.ts';
import { ruleDecision } from './rule-decision.ts';

const tool = { ...countingTool().tool(), name: 'terminal' };
const workspace = mkdtempSync(join(tmpdir(), 'varve-hidden-'));
afterAll(() => rmSync(workspace, { recursive: true }));

function decision(rule: string, command: string): string | undefined {
  const [on = '', ...pattern] = rule.split(' ');
  const action = TerminalAction.create({ command });
  const rules = [{ decision: 'deny', on: on as 'path', pattern: pattern.join(' ') }] as const;
  return ruleDecision(rules, { tool, action, risk: 'LOW', workspace })?.decision;
}

test.for([
  'shopt -s dotglob',
  'shopt -qs dotglob nullglob',
  'GLOBIGNORE=x',
  'bash -O dotglob -c "cat *"',
  'shopt -s "$X"',
])('%s is asked about, after which wildcards match hidden files', (command) => {
  expect(decision('path .env', command)).toBe('ask');
  expect(decision('path .env', 'shopt -s nullglob extglob; shopt -u dotglob; cat *')).toBeUndefined();
});

test('options that make a directory of the name of a variable are asked about', () => {
  expect(decision('path secrets/**', 'shopt -s cdable_vars; cd D; cat key')).toBe('ask');
});
