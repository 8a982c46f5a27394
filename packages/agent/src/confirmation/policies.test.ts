import {
  FileEditorAction,
  MCPToolAction,
  TaskAction,
  TaskTrackerAction,
  TerminalAction,
  type Payload,
} from '@varve/events/payloads';
import { expect, test } from 'vitest';
import type { ProposedCall } from '../commands/proposed-call.ts';
import { countingTool } from '../testing/counting-tool.ts';
import { defineTool, type Effect } from '@varve/tools';
import * as z from 'zod';
import { autoConfirm } from '../conversation/create-agent.ts';
import { denialOf } from './gate.ts';
import { alwaysConfirm, confirmAllButEdits, confirmRisky, onlyReading } from './policies.ts';
import { withRules } from './with-rules.ts';

const tool = { ...countingTool().tool(), fromAction: (action: Payload) => action, sandbox: 'workspace' } as const;
const terminal = (command: string) => TerminalAction.create({ command });
const edit = (path: string) => FileEditorAction.create({ command: 'create', path });

test.for<[ProposedCall['action'], boolean]>([
  [edit('/w/a.ts'), false],
  [edit('/w/.git/hooks/pre-commit'), true],
  [terminal('cat src/*.ts | grep -n x | wc -l'), false],
  [terminal('cat /w/a.ts && ls /etc'), false],
  [terminal('ls > list.txt'), true],
  [terminal('find / -name x'), true],
  [terminal('npm test'), true],
  [terminal('rm a.ts'), true],
  [terminal('for f in *; do cat $f; done'), true],
  [terminal('git push'), true],
  [TerminalAction.create({ command: 'y', is_input: true }), true],
  [MCPToolAction.create({ data: {} }), true],
])('edits and reading need no approval, in a sandbox either, and %j: %s', ([action, asks]) => {
  expect(confirmAllButEdits().review({ tool, action, risk: 'LOW', workspace: '/w' }).asks).toBe(asks);
});

test.for<[ProposedCall['action'], boolean]>([
  [FileEditorAction.create({ command: 'view', path: '/w/a.ts' }), false],
  [TaskTrackerAction.create({ command: 'plan', task_list: [] }), false],
  [terminal('cat src/*.ts | grep -n x | wc -l'), false],
  [terminal('ls > list.txt'), true],
  [terminal('npm test'), true],
  [edit('/w/a.ts'), true],
  [TaskAction.create({ description: 'x', prompt: 'Write it.', subagent_type: 'general' }), true],
  [MCPToolAction.create({ data: {} }), true],
])('a policy for plans asks about nothing, allow rules or not, and denies %j: %s', ([action, denies]) => {
  const allowing = withRules(onlyReading(), [
    { decision: 'allow', on: 'command', pattern: '*' },
    { decision: 'allow', on: 'path', pattern: '**' },
  ]);
  const effect = FileEditorAction.is(action) && action.command === 'view' ? 'read' : 'write';
  const call = { tool: { ...tool, effect: () => effect }, action, risk: 'LOW', workspace: '/w' } as const;
  for (const policy of [onlyReading(), allowing]) {
    const review = policy.review(call);
    expect([review.asks, review.denies ?? false]).toEqual([false, denies]);
    expect(denialOf(review)?.includes('plan mode') ?? false).toBe(denies);
  }
});

test.for<[Effect, boolean]>([
  ['read', false],
  ['idempotent', true],
  ['write', true],
])('a call with the effect %s, of its tool or of its input, is asked about: %s', ([effect, asks]) => {
  const options = { name: 'x', description: 'X.', input: z.object({}), execute: async () => '' };
  for (const made of [defineTool({ ...options, effect }), defineTool({ ...options, effect: () => effect })]) {
    const call = { tool: made, action: made.toAction({}), risk: 'UNKNOWN' } as const;
    for (const policy of [autoConfirm(), confirmRisky(), confirmAllButEdits()])
      expect(policy.review(call).asks).toBe(asks);
    expect(alwaysConfirm().review(call).asks).toBe(true);
  }
});
