import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ApplyPatchAction, FileEditorAction, GrepAction, TerminalAction } from '@varve/events/payloads';
import { neverConfirm } from '../confirmation/policies.ts';
import { withRules } from '../confirmation/with-rules.ts';
import type { ProposedCall } from '../risk/risk-analyzer.ts';
import { countingTool } from '../testing/counting-tool.ts';
import type { PermissionRule } from './permission-rule.ts';
import { ruleDecision } from './rule-decision.ts';
import { isCovered, suggestedRules } from './suggested-rules.ts';

const tool = countingTool().tool();
const workspace = mkdtempSync(join(tmpdir(), 'varve-rules-'));
afterAll(() => rmSync(workspace, { recursive: true }));
mkdirSync(join(workspace, 'secret'));
writeFileSync(join(workspace, 'secret', 'key.pem'), '');
mkdirSync(join(workspace, 'src'));
symlinkSync('secret', join(workspace, 'link'));
symlinkSync('../secret/key.pem', join(workspace, 'src', 'innocent.ts'));
symlinkSync('/etc', join(workspace, 'src', 'outside'));

function rulesOf(...texts: readonly string[]): readonly PermissionRule[] {
  return texts.map((text) => {
    const [decision, on, ...pattern] = text.split(' ');
    return { decision, on, pattern: pattern.join(' ') } as PermissionRule;
  });
}

function decide(rules: readonly string[], action: ProposedCall['action'], name = 'record'): string | undefined {
  return ruleDecision(rulesOf(...rules), { tool: { ...tool, name }, action, risk: 'LOW', workspace })?.decision;
}

function shell(rules: readonly string[], command: string): string | undefined {
  return decide(rules, TerminalAction.create({ command }), 'terminal');
}

function edit(rules: readonly string[], path: string): string | undefined {
  return decide(rules, FileEditorAction.create({ command: 'create', path, file_text: 'x' }), 'file_editor');
}

test.for([
  'git status',
  'git status --short',
  "git 'status' -s",
  'git status && git diff HEAD~1',
  'git status; git diff | git diff',
  'git status > /dev/null 2>&1',
])('allow rules cover %s', (command) => {
  expect(shell(['allow command git status', 'allow command git diff'], command)).toBe('allow');
});

test.for([
  'git log --output=../.profile',
  'git log --format=x --output x',
  'sort -o x a',
  'find . -fprint x',
  'curl -ox http://x.example',
])('a rule for the first words does not cover an option that writes a file: %s', (command) => {
  const [program = ''] = command.split(' ');
  expect(shell([`allow command ${program}`], command)).toBeUndefined();
  expect(shell([`allow command ${command}`], command)).toBe('allow');
});

test.for<readonly [rule: string, command: string]>([
  ['go test', 'go test -exec ./x ./...'],
  ['go test', 'go test ./... -toolexec=./x'],
  ['make', 'make SHELL=./x test'],
  ['make test', 'make test CC:=./x'],
  ['make', 'make -f other.mk'],
  ['make', 'make --eval=x:'],
  ['git log', 'git log -p --ext-diff'],
  ['git log', 'git log --textconv'],
  ['git rebase', 'git rebase -x ./x main'],
  ['git fetch', 'git fetch --upload-pack=./x'],
  ['git fetch', 'git fetch --upload ./x'],
  ['tar xf', 'tar xf a.tar --to-command=./x'],
  ['tar xf', 'tar xf a.tar -I ./x'],
  ['rg', 'rg --pre ./x y'],
  ['npm test', 'npm test --script-shell=./x'],
  ['node --test', 'node --test --import ./x.js'],
  ['cargo test', 'cargo test --config target.x.runner=./x'],
  ['sort', 'sort --compress-program=./x a'],
])('a rule for %s does not cover a program that is named after it: %s', ([rule, command]) => {
  expect(shell([`allow command ${rule}`], command)).toBeUndefined();
});

test('a rule that contains a program covers it', () => {
  expect(shell(['allow command make CC=./x'], 'make CC=./x test')).toBe('allow');
});

test.for(['go test ./... -run TestX -v', 'make test -j4', 'git log --oneline -5', 'npm test -- src/a', 'rg --files'])(
  'a rule for the first words covers other options: %s',
  (command) => {
    expect(shell([`allow command ${command.split(' ').slice(0, 2).join(' ')}`], command)).toBe('allow');
  },
);

test.for([
  'git status; rm -rf /',
  'git status $(rm -rf /)',
  'git status `id`',
  'git status > ~/.bashrc',
  'git status >out.txt',
  'git status & rm x',
  'git status | sh',
  'git status\nrm x',
  './git status',
  '/tmp/git status',
  'PATH=. git status',
  'GIT_SSH=x git status',
  'git -c core.pager=x status',
  'git -C /elsewhere status',
  'git() { rm x; }; git status',
  'alias git=rm; git status',
  'git status <<< $(id)',
  'git status <(id)',
  'git $STATUS',
  'git sta*',
  'git {status,push}',
  'git status "${x:=$(id)}"',
  'git status ${x@P}',
  'git "status" push; git push',
  'if git status; then rm x; fi',
  '(git status; id)',
  'eval git status',
  'sudo git status',
  '! git status',
  'time git status',
  'coproc git status',
  'git status &',
  'Git status',
  'git statusx',
  'status',
  '"git status"',
  'git\u00a0status',
  'git status "',
])('an allow rule does not cover %s', (command) => {
  expect(shell(['allow command git status'], command)).not.toBe('allow');
});

test('a command that another one runs needs a rule, unless the rule of that one names it', () => {
  expect(shell(['allow command npx vitest'], 'npx vitest run a')).toBe('allow');
  expect(shell(['allow command find'], 'find . -name a')).toBe('allow');
  expect(shell(['allow command find'], 'find . -exec chmod 1 {} ;')).toBeUndefined();
  expect(shell(['allow command find', 'allow command xargs chmod'], "find . -exec chmod 1 {} ';'")).toBeUndefined();
  expect(shell(['allow command xargs'], 'git ls-files | xargs rm')).toBeUndefined();
});

test('a rule for the first words does not cover what is rated HIGH; one for the whole command does', () => {
  expect(shell(['allow command git push'], 'git push origin main')).toBe('allow');
  expect(shell(['allow command git push'], 'git push --force origin main')).toBeUndefined();
  expect(shell(['allow tool terminal'], 'git push --force origin main')).toBeUndefined();
  expect(shell(['allow command git push --force origin main'], 'git push --force origin main')).toBe('allow');
});

test.for([
  'git push',
  'git -C . push -u origin x',
  '/usr/bin/git push',
  'cd src && git push',
  'GIT_PUSH',
  'bash -c "git push"',
  'echo $(git push)',
  'xargs git push < f',
  "g''it pu\\sh",
  'sudo git push',
])('a deny rule for git push refuses or asks: %s', (command) => {
  const expected = command === 'GIT_PUSH' ? undefined : 'deny';
  expect(shell(['deny command git push', 'allow command git'], command)).toBe(expected);
});

test.for([
  '$X push',
  'g=git; $g $verb',
  'some-wrapper git push',
  'npm run x; eval "$Y"',
  'cat x | bash',
  'python3 -c "x()"',
])('a deny rule asks about %s', (command) => {
  expect(shell(['deny command git push'], command)).toBe('ask');
});

test('options of a deny rule match in clusters and in any order', () => {
  const rules = ['deny command rm -rf'];
  expect(['rm -rf x', 'rm -fr x', 'rm -r -f x', 'rm -vrf x'].map((one) => shell(rules, one))).toEqual(
    Array(4).fill('deny'),
  );
  expect(shell(rules, 'rm --recursive --force x')).toBe('ask');
  expect(shell(rules, 'rm x')).toBeUndefined();
});

test('deny takes precedence over ask, and ask over allow', () => {
  expect(shell(['allow command ls', 'ask command ls'], 'ls')).toBe('ask');
  expect(shell(['allow command ls', 'ask command ls', 'deny command ls'], 'ls')).toBe('deny');
});

test.for([
  'secret/key.pem',
  './secret/../secret/key.pem',
  'link/key.pem',
  'src/innocent.ts',
  'SECRET/key.pem',
  'secret/new',
])('a deny rule for a directory holds for %s, also through links', (path) => {
  expect(edit(['deny path secret/', 'allow path **'], path)).toBe('deny');
  expect(edit(['deny path secret/'], join(workspace, path))).toBe('deny');
  expect(shell(['deny path secret/'], `cat ${path}`)).toBe('deny');
  expect(shell(['deny path secret/'], `echo x > ${path}`)).toBe('deny');
  expect(decide(['deny path secret/'], GrepAction.create({ pattern: 'x', path }))).toBe('deny');
});

test.for([
  'cat se*/key.pem',
  'cat $FILE',
  'cd secret; cat *',
  'cp -r . /tmp/x',
  'x=sec; cat "${x}ret/key.pem"',
  'cat src/*',
])('a deny rule for a directory refuses or asks: %s', (command) => {
  expect(shell(['deny path secret/'], command)).toMatch(/ask|deny/);
});

test('a rule for a file name holds in every directory', () => {
  expect(edit(['deny path .env'], 'a/b/.env')).toBe('deny');
  expect(edit(['deny path *.pem'], 'link/other.pem')).toBe('deny');
  expect(edit(['deny path .env'], '.env.example')).toBeUndefined();
  expect(shell(['deny path .env'], 'cat .e*')).toBe('ask');
  expect(shell(['deny path .env'], 'cat *')).toBeUndefined();
});

test('an allow rule for a directory ends at links that lead out of it', () => {
  expect(edit(['allow path src/**'], 'src/a/b.ts')).toBe('allow');
  expect(edit(['allow path src/'], 'src/a.ts')).toBe('allow');
  expect(edit(['allow path src/**'], 'src/../package.json')).toBeUndefined();
  expect(edit(['allow path src/**'], 'src/innocent.ts')).toBeUndefined();
  expect(edit(['allow path src/**'], 'src/outside/passwd')).toBeUndefined();
  expect(edit(['allow path src/**'], 'srcx/a.ts')).toBeUndefined();
});

function patch(file: string) {
  return ApplyPatchAction.create({
    patch: `*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: ${file}\n*** End Patch`,
  });
}

test('every file of a patch needs an allow rule, and one denied file denies it', () => {
  expect(decide(['allow path src/**'], patch('src/b.ts'))).toBe('allow');
  expect(decide(['allow path src/**'], patch('b.ts'))).toBeUndefined();
  expect(decide(['allow path **', 'deny path secret/'], patch('link/b'))).toBe('deny');
});

test('rules for hosts match addresses, and ask about commands that name the host in another way', () => {
  const rules = ['deny host *.evil.example'];
  expect(shell(rules, 'curl https://a.evil.example/x')).toBe('deny');
  expect(shell(rules, 'curl HTTPS://A.EVIL.example:443')).toBe('deny');
  expect(shell(rules, 'curl a.evil.example')).toBe('ask');
  expect(shell(rules, 'curl "$URL"')).toBe('ask');
  expect(shell(rules, 'curl https://good.example')).toBeUndefined();
  expect(decide(['allow host good.example'], { kind: 'MCPToolAction', data: { url: 'https://good.example/x' } })).toBe(
    'allow',
  );
  expect(
    decide(['allow host good.example'], {
      kind: 'MCPToolAction',
      data: { urls: ['https://good.example', 'http://x.example'] },
    }),
  ).toBeUndefined();
});

test('a rule for a tool allows or denies its calls', () => {
  expect(decide(['allow tool record'], { kind: 'X' })).toBe('allow');
  expect(decide(['deny tool mcp_*'], { kind: 'X' }, 'mcp_delete')).toBe('deny');
  expect(decide(['allow tool rec'], { kind: 'X' })).toBeUndefined();
});

test('malformed rules are refused', () => {
  expect(() => withRules(neverConfirm(), [{ decision: 'allow', on: 'command', pattern: ' ' }])).toThrow(/malformed/);
});

const stored = (command: string) => ({ toolName: 'terminal', action: TerminalAction.create({ command }), workspace });

test.for([
  ['git status --short', ['git status']],
  ['ls -la src', ['ls -la src']],
  ['npm test && git diff HEAD', ['npm test', 'git diff']],
  ['git push --force origin main', ['git push --force origin main']],
  ['git commit -m "two words"', ['git commit']],
  ['npm run build -- --watch', ['npm run build']],
  ['uv run ./a.py --fast', ['uv run ./a.py --fast']],
  ['gh pr view 7', ['gh pr view']],
  ['git remote add a https://a.example', ['git remote add a https://a.example']],
  ['npm install left-pad', ['npm install left-pad']],
  ['git push origin main', ['git push origin main']],
  ['echo "two words"', []],
  ['echo $X', []],
  ['echo x > out.txt', []],
  ['rm -r .openhands', []],
] as const)('always allowing %s proposes the rules %j', ([command, patterns]) => {
  const rules = suggestedRules(stored(command));
  expect(rules.map(({ pattern }) => pattern)).toEqual(patterns);
});

test.for([
  ['npm run build', 'npm run publish'],
  ['gh pr view 7', 'gh pr merge 7'],
  ['pnpm dlx a', 'pnpm dlx b'],
  ['bun x a', 'bun x b'],
  ['pip install -r requirements.txt', 'pip install --index-url https://b.example b'],
  ['git remote -v', 'git remote set-url origin https://b.example'],
  ['git push origin main', 'git push https://b.example main'],
  ['git worktree list', 'git worktree add /b'],
  ['kubectl get pods', 'kubectl get pods --kubeconfig /b'],
  ['docker compose up', 'docker compose -f /b up'],
  ['just test', 'just test --justfile /b'],
  ['gradle test', 'gradle test --project-dir /b'],
  ['mvn test', 'mvn test --file /b'],
  ['poetry install', 'poetry install -C /b'],
  ['uv sync', 'uv sync --index-url https://b.example'],
  ['yarn test', 'yarn test --cwd /b'],
  ['pnpm test', 'pnpm test --config.script-shell=/b'],
] as const)('always allowing %s allows no %s', ([allowed, other]) => {
  const rules = suggestedRules(stored(allowed));
  expect([isCovered(rules, stored(allowed)), isCovered(rules, stored(other))]).toEqual([true, false]);
});

test('always allowing an edit proposes a rule for the file, and another call one for the tool', () => {
  const action = FileEditorAction.create({ command: 'create', path: join(workspace, 'src/a.ts'), file_text: '' });
  expect(suggestedRules({ toolName: 'file_editor', action, workspace })).toEqual([
    { decision: 'allow', on: 'path', pattern: './src/a.ts' },
  ]);
  expect(suggestedRules({ toolName: 'notes', action: { kind: 'MCPToolAction', data: {} }, workspace })).toEqual([
    { decision: 'allow', on: 'tool', pattern: 'notes' },
  ]);
});

const wrapped = (file: string): readonly string[] => [
  JSON.stringify({ patch: `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch` }),
  JSON.stringify(['apply_patch', `*** Begin Patch\n*** Delete File: ${file}\n*** End Patch`]),
  JSON.stringify({ operations: [{ type: 'create_file', path: file, diff: '+x' }] }),
  JSON.stringify({ type: 'update_file', path: 'a', moveTo: file, diff: '@@\n-x\n+y' }),
  `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch\nEOF`,
];

test.for(wrapped('secret/x'))('rules see the files of a patch in each form that the tool accepts: %j', (text) => {
  expect(decide(['deny path secret'], ApplyPatchAction.create({ patch: text }), 'apply_patch')).toBe('deny');
});

/** Spellings of a word that a shell reads as the same word. */
const spellings = (word: string): readonly string[] =>
  Array.from(word, (_, at) => [word.slice(0, at), word.charAt(at), word.slice(at + 1)] as const).flatMap(
    ([start, char, end]) => [
      `${start}""${char}${end}`,
      `${start}'${char}'${end}`,
      `${start}\\${char}${end}`,
      `${start}{${char},${char}}${end}`,
      `h='${start}'; curl "$h"'${char}${end}'; curl $h${char}${end}`,
      `$'${start}\\x${char.charCodeAt(0).toString(16)}${end}'`,
    ],
  );

test('a deny rule for a host sees it in every spelling of a word', () => {
  const passed = spellings('http://evil.example/x').filter((word) => {
    const decision = shell(['deny host evil.example'], word.startsWith('h=') ? word : `curl ${word}`);
    return decision !== 'deny' && decision !== 'ask';
  });
  expect(passed).toEqual([]);
});

const separators = [';', '\\', '&', "'", '(', '{', '|', '`', '<', '"', '\u2028', '\t', '\0', '%00', ' '];

test.for([
  ...separators.map((char) => ({ url: `https://ok.example${char}@evil.example/` })),
  { url: 'evil.example/?https://ok.example' },
  { url: '//evil.example', referrer: 'https://ok.example' },
  { url: 'https://ok.example', host: 'evil.example' },
  { url: 'https://ok.example', proxy: 'socks5h:evil.example' },
  { url: 'https://ok.example', address: '10.0.0.1' },
  { url: 'https://ok.example/ https://evil.example/' },
])('an allow rule for a host does not cover %j', (data) => {
  expect(decide(['allow host ok.example'], { kind: 'FetchAction', data }, 'fetch')).toBeUndefined();
});

test('an allow rule for a host covers whole addresses and plain words', () => {
  const data = { url: 'https://ok.example/a?b=c', format: 'markdown' };
  expect(decide(['allow host ok.example'], { kind: 'FetchAction', data }, 'fetch')).toBe('allow');
});

test.for(['rm secret{1..3}', 'sort -osecret2 a', 'curl -d@secret2 x', 'grep x -fsecret2'])(
  'a deny rule for a file sees it in %s',
  (command) => expect(shell(['deny path secret2'], command)).toBe('deny'),
);

test.for(['go test -C /x', 'go test -modfile=x', 'cargo test -C /x', 'pytest --rootdir=/x', 'npm test --userconfig=x'])(
  'a rule for the first words does not cover an option that selects another project: %s',
  (command) => expect(shell([`allow command ${command.split(' -')[0]}`], command)).toBeUndefined(),
);
