import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  ApplyPatchAction,
  FileEditorAction,
  GrepAction,
  MCPToolAction,
  TerminalAction,
  type Payload,
} from '@varve/events/payloads';
import { countingTool } from '../testing/counting-tool.ts';
import { permissionRule, ruleProblem, type PermissionRule } from './permission-rule.ts';
import { ruleDecision } from './rule-decision.ts';
import { suggestedRules } from './suggested-rules.ts';

const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'varve-rules-')));
afterAll(() => rmSync(workspace, { recursive: true }));
mkdirSync(join(workspace, 'src'));
writeFileSync(join(workspace, '.env'), '');
symlinkSync('.env', join(workspace, 'src', 'link'));

const tool = countingTool().tool();
const edit = (path: string): Payload => FileEditorAction.create({ command: 'create', path, file_text: '' });
const rulesOf = (...texts: readonly string[]): readonly PermissionRule[] =>
  texts.map((text) => {
    const [decision, on, ...pattern] = text.split(' ');
    return permissionRule().parse({ decision, on, pattern: pattern.join(' ') });
  });

function decide(rules: readonly string[], command: string, isSandboxed = false) {
  const call = {
    tool: { ...tool, name: 'terminal', ...(isSandboxed && { sandbox: 'workspace' }) },
    action: TerminalAction.create({ command }),
    workspace,
  };
  return ruleDecision(rulesOf(...rules), { ...call, risk: 'LOW' })?.decision;
}

test.for([
  ['git push', 'git push origin main', 'deny'],
  ['git push *', 'git push', 'deny'],
  ['rm *', 'rm -rf build', 'deny'],
  ['rm *', '/bin/rm x', 'deny'],
  ['git push', 'git -C sub push', 'deny'],
  ['git push', 'npm test && git push', 'deny'],
  ['rm -rf', 'rm -fr x', 'deny'],
  ['rm -rf', 'rm -r x', undefined],
  ['git push', 'git status', undefined],
  ['git push', 'git log --grep push', undefined],
  ['git push', 'sudo git push', 'ask'],
  ['rm', 'xargs rm', 'ask'],
  ['rm', 'for f in a; do rm $f; done', 'ask'],
  ['rm', '$X y', 'ask'],
  ['git push', `sh -c 'git push'`, 'deny'],
  ['git push', `sudo bash -o pipefail -ec 'npm test && git push'`, 'deny'],
  ['git push', `git -c alias.p='!git push' p`, 'ask'],
  ['git push', `python3 -c 'os.system("git push")'`, 'ask'],
  ['git push', `git commit -m 'push git'`, undefined],
  ['rm', String.raw`find . -name 'r*' -exec {} x \;`, 'ask'],
  ['rm', 'bin/r[m] x', 'ask'],
  ['rm', 'echo cm0geA== | base64 -d | sh', 'ask'],
] as const)('deny command %s decides about %j: %s', ([rule, command, decision]) => {
  expect(decide([`deny command ${rule}`], command)).toBe(decision);
});

test('in a sandbox, a script of more than words is asked about when it mentions the program', () => {
  expect(decide(['deny command rm'], 'for f in a; do rm $f; done', true)).toBe('ask');
  expect(decide(['deny command rm'], 'for f in a; do wc $f; done', true)).toBeUndefined();
});

test.for(['x=r; ${x}m a', 'r[m] a', '$(echo r) a', 'for f in a; do $f; done', 'eval "$X"', 'sh -c "$X"', 'sh < $X'])(
  'in a sandbox, a script that may run any program is asked about: %j',
  (script) => {
    expect(decide(['deny command rm'], script, true)).toBe('ask');
    expect(decide(['deny path ./x'], script, true)).toBeUndefined();
  },
);

test.for([
  ['.env', 'cat .env', 'deny'],
  ['.env', 'cat src/link', 'deny'],
  ['.env', 'cd src && cat ../.env', 'deny'],
  ['.env', 'grep --file=.env x', 'deny'],
  ['.env', 'echo x > .env', 'deny'],
  ['.env', 'cat < .env', 'deny'],
  ['.env', `sh -c 'cat < .env'`, 'deny'],
  ['src/**', 'cat src/a.ts', 'deny'],
  ['~/.ssh', `cat "${homedir()}/.ssh/key"`, 'deny'],
  ['~/.ssh', 'cat ~/.ssh/key', 'deny'],
  ['src/key', 'rm -r src', 'ask'],
  ['.env', 'cat *', 'ask'],
  ['.env', 'cat $X', 'ask'],
  ['.env', 'cat a.ts', undefined],
] as const)('deny path %s decides about %j: %s', ([rule, command, decision]) => {
  expect(decide([`deny path ${rule}`], command)).toBe(decision);
});

test('in a sandbox the walls hold for paths that a script does not mention', () => {
  for (const pattern of ['.env', './.env']) {
    expect(decide([`deny path ${pattern}`], 'cat $X', true)).toBeUndefined();
    expect(decide([`deny path ${pattern}`], 'cat .env $X', true)).toBe('ask');
    expect(decide([`deny path ${pattern}`], 'cat .env', true)).toBe('deny');
  }
  expect(decide(['deny path a/*.key'], 'cat $X', true)).toBe('ask');
});

test.for([
  [['git status'], 'git status', 'allow'],
  [['git status'], 'git status && git status -s', 'allow'],
  [['git'], 'git log --output=x', undefined],
  [['git status'], 'git status && ls', undefined],
  [['ls'], 'ls *', undefined],
  [['ls'], 'ls $X', undefined],
  [['echo'], 'echo x > out', undefined],
  [['ls'], `sh -c 'ls -l'`, 'allow'],
  [['ls'], `sh -c 'ls -l' ls; id`, undefined],
  [['ls'], `sh -c 'ls; id'`, undefined],
  [['git push'], 'git push origin', undefined],
  [['git push origin'], 'git push origin', 'allow'],
] as const)('allow command %j covers %j: %s', ([rules, command, decision]) => {
  expect(
    decide(
      rules.map((rule) => `allow command ${rule}`),
      command,
    ),
  ).toBe(decision);
});

test('a redirection needs a rule for its file, and deny takes precedence over ask and allow', () => {
  expect(decide(['allow command echo', 'allow path ./out'], 'echo x > out')).toBe('allow');
  expect(decide(['allow command ls', 'ask command ls'], 'ls')).toBe('ask');
  expect(decide(['allow command ls', 'ask command ls', 'deny command ls'], 'ls')).toBe('deny');
});

test.for([
  ['*.example.com', 'curl http://a.example.com/x', 'deny'],
  ['example.com', 'curl http://example.com', 'deny'],
  ['example.com', 'curl example.com', 'ask'],
  ['example.com', 'curl http://example.org', undefined],
] as const)('deny host %s decides about %j: %s', ([rule, command, decision]) => {
  expect(decide([`deny host ${rule}`], command)).toBe(decision);
});

test('file tools are compared by their files, with links resolved', () => {
  const rules = rulesOf('deny path .env', 'allow path ./src/**');
  const decisionOf = (action: Payload) => ruleDecision(rules, { tool, action, risk: 'LOW', workspace })?.decision;
  expect(['.env', 'src/link', 'src/a.ts', 'a.ts'].map((name) => decisionOf(edit(join(workspace, name))))).toEqual([
    'deny',
    'deny',
    'allow',
    undefined,
  ]);
  const patch = ApplyPatchAction.create({ patch: '*** Begin Patch\n*** Delete File: .env\n*** End Patch' });
  expect(ruleDecision(rules, { tool, action: patch, risk: 'LOW', workspace })?.decision).toBe('deny');
});

function searchDecision(rule: string, path: string, include?: string) {
  const action = GrepAction.create({ pattern: 'x', path, ...(include && { include }) });
  return ruleDecision(rulesOf(rule), { tool, action, risk: 'LOW', workspace })?.decision;
}

test('a search is compared by its directory and by the files that it includes', () => {
  expect(searchDecision('deny path .env', '.', '**/.env')).toBe('deny');
  expect(searchDecision('deny path .env', 'src')).toBeUndefined();
  expect(searchDecision('allow path ./src', 'src', '*.ts')).toBe('allow');
});

test('other tools are compared by their names and addresses', () => {
  const named = { ...tool, name: 'mcp__gh__delete' };
  const action = MCPToolAction.create({ data: { url: 'https://api.example.com/x' } });
  const decisionOf = (rule: string) =>
    ruleDecision(rulesOf(rule), { tool: named, action, risk: 'LOW', workspace })?.decision;
  expect(
    ['allow tool mcp__gh__*', 'deny tool mcp__gh__delete', 'allow tool mcp__x__*', 'allow host api.example.com'].map(
      decisionOf,
    ),
  ).toEqual(['allow', 'deny', undefined, 'allow']);
});

test.for([
  ['deny command rm *', undefined],
  ['deny command * rm', '`*`'],
  ['deny command *', 'names no program'],
  ['deny command a | b', 'single words'],
  ['deny host http://x', 'not the name of a host'],
  ['deny tool *x', '`*`'],
  ['deny path /etc/**', undefined],
] as const)('a rule that can never match is explained: %s', ([text, reason]) => {
  const [rule] = rulesOf(text);
  const problem = rule && ruleProblem(rule);
  expect(problem ?? '').toContain(reason ?? '');
  expect(problem === undefined).toBe(reason === undefined);
});

test.for([
  ['npm run build', ['npm run build']],
  ['git status -s', ['git status']],
  ['pip install x', ['pip install x']],
  ['python3 -c x', ['python3 -c x']],
  [`sh -c 'npm run build'`, ['npm run build']],
  ['git push', []],
  [`sh -c 'git push'`, []],
  ['rm $X', []],
] as const)('"always allow" proposes for %j: %j', ([command, patterns]) => {
  const call = { toolName: 'terminal', action: TerminalAction.create({ command }), workspace };
  expect(suggestedRules(call).map(({ pattern }) => pattern)).toEqual([...patterns]);
});
