import { expect, test } from 'vitest';
import type { SecurityRisk } from '@varve/events/kinds';
import {
  ApplyPatchAction,
  DelegateAction,
  FileEditorAction,
  PlanningFileEditorAction,
  TaskAction,
  TerminalAction,
} from '@varve/events/payloads';
import { type ProposedCall } from '../commands/proposed-call.ts';
import { countingTool } from '../testing/counting-tool.ts';
import { workspaceRisk } from './workspace-risk.ts';

const tool = countingTool().tool();
const edit = (path: string, command: 'view' | 'create' = 'create') => FileEditorAction.create({ command, path });
const patch = (...files: readonly string[]) =>
  ApplyPatchAction.create({ patch: files.map((file) => `*** Update File: ${file}\n`).join('') });

test.for<[string, ProposedCall['action'], SecurityRisk | undefined, string?]>([
  ['a view of a file', edit('/w/.git/config', 'view'), 'LOW'],
  ['an edit', edit('/w/a.ts'), 'MEDIUM', 'It changes /w/a.ts.'],
  ['an edit of a plan', PlanningFileEditorAction.create({ command: 'create', path: '/w/PLAN.md' }), 'MEDIUM'],
  ['an edit below .git', edit('/w/.GIT/config'), 'HIGH', 'It changes /w/.GIT/config, which git may run.'],
  ['a patch', patch('a.ts', 'b.ts'), 'MEDIUM', 'It changes a.ts and 1 more.'],
  ['a patch that also changes .git', patch('a.ts', '.git/hooks/pre-commit'), 'HIGH'],
  ['a task for a sub-agent', TaskAction.create({ prompt: 'x', subagent_type: 'y' }), 'LOW'],
  ['sub-agents', DelegateAction.create({ command: 'spawn', ids: ['a'] }), 'LOW'],
  ['a command', TerminalAction.create({ command: 'ls' }), undefined],
])('%s is rated by what it changes', ([, action, risk, reason]) => {
  const verdict = workspaceRisk().assess({ tool, action, risk: 'UNKNOWN' });
  expect(verdict?.risk).toBe(risk);
  expect(verdict?.reasons[0]?.text ?? '').toContain(reason ?? '');
});
