import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { TerminalAction } from '@varve/events/payloads';
import { countingTool } from '../testing/counting-tool.ts';
import type { PermissionRule } from './permission-rule.ts';
import { ruleDecision } from './rule-decision.ts';

const workspace = mkdtempSync(join(tmpdir(), 'varve-rules-'));
afterAll(() => rmSync(workspace, { recursive: true }));
mkdirSync(join(workspace, 'sub'));
const tool = { ...countingTool().tool(), name: 'terminal' };
const rules: readonly PermissionRule[] = [
  ...['echo', 'cat', 'cd'].map((pattern) => ({ decision: 'allow', on: 'command', pattern }) as const),
  { decision: 'allow', on: 'path', pattern: './out.txt' },
];

function decide(command: string, directories: readonly string[]): string | undefined {
  const action = TerminalAction.create({ command });
  return ruleDecision(rules, { tool, action, risk: 'LOW', workspace, directories })?.decision;
}

const names = ['out.txt', './out.txt', "'out.txt'", 'sub/../out.txt'];
const scripts = names.flatMap((name) =>
  ['>', '>>', '>|', '&>', '2>'].flatMap((sign) => [
    `echo x ${sign} ${name}`,
    `cat a | cat ${sign}${name}`,
    `echo y && echo x ${sign}${name}`,
  ]),
);

test.for(scripts)('an allow rule for a file covers %s in the workspace, and in no other directory', (script) => {
  expect(decide(script, [])).toBe('allow');
  for (const directory of ['/etc', 'sub', '..', join(workspace, 'sub')]) {
    expect(decide(script, [directory])).toBeUndefined();
    expect(decide(`cd ${directory}; ${script}`, [])).toBeUndefined();
    expect(decide(`echo a; cd ${directory} && ${script}`, [])).toBeUndefined();
  }
});
