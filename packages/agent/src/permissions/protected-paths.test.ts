import { mkdirSync, mkdtempDisposableSync, realpathSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  ApplyPatchAction,
  FileEditorAction,
  MCPToolAction,
  TerminalAction,
  type Payload,
} from '@varve/events/payloads';
import { executedNames } from '@varve/sandbox';
import { countingTool } from '../testing/counting-tool.ts';
import { protectedFinding } from './protected-paths.ts';

const tool = countingTool().tool();
const data = '/data/varve';

function ruleFor(action: Payload, isSandboxed = false): string | undefined {
  return protectedFinding(
    { tool: { ...tool, ...(isSandboxed && { sandbox: 'workspace' }) }, action, risk: 'LOW', workspace: '/project' },
    [data],
  )?.rule;
}

const run = (command: string): Payload => TerminalAction.create({ command });
const call = (text: string): Payload => MCPToolAction.create({ data: { text } });
const edit = (path: string, command: 'create' | 'view' = 'create'): Payload =>
  FileEditorAction.create({ command, path, file_text: '' });

test.for([
  'cp x .git/hooks/pre-commit',
  'echo x > .git/config',
  'tee .varve/config.json',
  'mv a .mcp.json',
  'cd .agents && touch x',
  'git config core.hooksPath x',
  'echo $X > .git/hooks/pre-commit',
  "python3 -c \"open('.varve/x', 'w')\"",
])('%s may change what agents or git run', (command) => {
  expect(ruleFor(run(command))).toBe('config.write');
});

test.for([`cat ${data}/secrets.key`, `grep -r . ${data}`, 'cat ~/.ssh/id_rsa', 'base64 < x ~/.aws/credentials'])(
  '%s names credentials',
  (command) => {
    expect(ruleFor(run(command))).toBe('read.credentials');
  },
);

test.for(['cat .git/config', 'git status', 'ls .agents', 'cat .mcp.json | head', 'grep -rn hooks src'])(
  '%s only reads the configuration',
  (command) => {
    expect(ruleFor(run(command))).toBeUndefined();
  },
);

test('file tools may not change the configuration, nor read credentials', () => {
  expect(
    [
      edit('/project/.git/hooks/x'),
      edit('/project/.GIT/config'),
      edit('/project/.varve/a'),
      edit('/project/.varve/a', 'view'),
      edit(`${data}/x`, 'view'),
      edit(join(homedir(), '.ssh/id_rsa'), 'view'),
      edit('/project/a'),
    ].map((action) => ruleFor(action)),
  ).toEqual([
    'config.write',
    'config.write',
    'config.write',
    undefined,
    'read.credentials',
    'read.credentials',
    undefined,
  ]);
});

test.for(executedNames)('file tools may not change what the sandbox protects: %s', (name) => {
  const patch = `*** Begin Patch\n*** Add File: deep/${name}/x\n+x\n*** End Patch`;
  expect(
    [edit(`/project/${name}`), edit(`/project/deep/${name}/x`), ApplyPatchAction.create({ patch })].map((action) =>
      ruleFor(action),
    ),
  ).toEqual(Array.from({ length: 3 }, () => 'config.write'));
});

test('file tools may not change the hooks and settings that the configuration of git names', () => {
  using directory = mkdtempDisposableSync(join(realpathSync(tmpdir()), 'varve-'));
  const workspace = directory.path;
  for (const name of ['.git/objects', 'own-hooks']) mkdirSync(join(workspace, name), { recursive: true });
  writeFileSync(join(workspace, 'included'), '');
  writeFileSync(join(workspace, '.git/config'), '[core]\n\thooksPath = own-hooks\n[include]\n\tpath = ../included\n');
  const names = ['own-hooks/pre-commit', 'included', 'other'];
  const found = names.map((name) =>
    protectedFinding({ tool, action: edit(join(workspace, name)), risk: 'LOW', workspace }, []),
  );
  expect(found.map((finding) => finding?.rule)).toEqual(['config.write', 'config.write', undefined]);
});

test.for([
  ['[remote "fork"]\n\turl = https://host.example/a.git\n', '\tbare = false\n', undefined],
  ['[user]\n\tname = A\n', '[branch "main"]\n\tremote = origin\n', undefined],
  ['[core]\n\tfsmonitor = ./evil\n', '\tbare = false\n', 'config.write'],
  ['[branch "main"]\n\tremote = evil\n', '\tbare = false\n', 'config.write'],
  ['\tsshCommand = evil\n', '\tbare = false\n', 'config.write'],
  ['[user]\n', '[core]\n', 'config.write'],
  ['[user]\n\tname = A\n[alias]\n', '\tbare = false\n', 'config.write'],
  ['[user]\n\tname = A', '\tbare = false\n', 'config.write'],
  ['[user]\n\tname = A\n', '\n', 'config.write'],
] as const)('an edit that adds %j after %j to the settings of git is %s', ([added, old_str, rule]) => {
  using directory = mkdtempDisposableSync(join(realpathSync(tmpdir()), 'varve-'));
  const workspace = directory.path;
  mkdirSync(join(workspace, '.git/objects'), { recursive: true });
  const path = join(workspace, '.git/config');
  writeFileSync(path, '[core]\n\tbare = false\n[branch "main"]\n\tremote = origin\n');
  const action = FileEditorAction.create({ command: 'str_replace', path, old_str, new_str: old_str + added });
  expect(protectedFinding({ tool, action, risk: 'LOW', workspace }, [])?.rule).toBe(rule);
});

test('other tools are asked about when a text mentions such a name', () => {
  expect([ruleFor(call('write .git/hooks/x')), ruleFor(call(`read ${data}/x`)), ruleFor(call('hello'))]).toEqual([
    'config.write',
    'config.write',
    undefined,
  ]);
});

test('in a sandbox its walls hold for commands, and file tools are asked about all the same', () => {
  expect([ruleFor(run('cp x .git/hooks/y'), true), ruleFor(edit('/project/.git/hooks/x'), true)]).toEqual([
    undefined,
    'config.write',
  ]);
});
