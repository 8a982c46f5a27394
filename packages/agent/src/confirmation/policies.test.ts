import { FileEditorAction, MCPToolAction, TerminalAction } from '@varve/events/payloads';
import { expect, test } from 'vitest';
import type { ProposedCall } from '../commands/proposed-call.ts';
import { countingTool } from '../testing/counting-tool.ts';
import { confirmAllButEdits } from './policies.ts';

const tool = { ...countingTool().tool(), sandbox: 'workspace' } as const;
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
