import { FileEditorAction, MCPToolAction, TerminalAction, type Payload } from '@varve/events/payloads';
import { expect, test } from 'vitest';
import type { ProposedCall } from '../commands/proposed-call.ts';
import { countingTool } from '../testing/counting-tool.ts';
import { defineTool, type Effect } from '@varve/tools';
import * as z from 'zod';
import { autoConfirm } from '../conversation/create-agent.ts';
import { alwaysConfirm, confirmAllButEdits, confirmRisky } from './policies.ts';

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
