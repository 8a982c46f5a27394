import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ApplyPatchAction, FileEditorAction, TaskTrackerAction, TerminalAction } from '@varve/events/payloads';
import { countingTool } from '../testing/counting-tool.ts';
import type { ProposedCall } from '../risk/risk-analyzer.ts';
import { protectedFinding } from './protected-paths.ts';

const tool = countingTool().tool();
const workspace = mkdtempSync(join(tmpdir(), 'varve-protected-'));
const home = mkdtempSync(join(tmpdir(), 'varve-home-'));
afterAll(() => [workspace, home].forEach((path) => rmSync(path, { recursive: true })));
// Both targets are missing: names are protected whether or not they exist.
symlinkSync('.openhands', join(workspace, 'link'));
symlinkSync(home, join(workspace, 'home'));
for (const name of ['HEAD', 'objects', 'refs']) mkdirSync(join(workspace, 'bare', name), { recursive: true });

function isProtected(action: ProposedCall['action']): boolean {
  return protectedFinding({ tool, action, risk: 'LOW', workspace }, [home]) !== undefined;
}

function shell(command: string): boolean {
  return isProtected(TerminalAction.create({ command }));
}

test.for([
  '.varve/config.json',
  '.openhands/hooks.json',
  'packages/a/.openhands/hooks.json',
  '.OpenHands/hooks.json',
  '.open\u200bhands/hooks.json',
  'src/../.varve/x',
  '.agents/skills/x/SKILL.md',
  '.mcp.json',
  '.git/config',
  '.git/commondir',
  '.git/rebase-merge/git-rebase-todo',
  '.git/sequencer/todo',
  '.gitattributes',
  'src/.GitAttributes',
  'bare/config',
  'bare/hooks/pre-commit',
  'other/HEAD',
  '.GIT/hooks/pre-commit',
  '.git/modules/x/hooks/post-checkout',
  'link/hooks.json',
  'home/trust.json',
  'bare/config.worktree',
  'bare/commondir',
  '.gitconfig',
  '.config/git/config',
  '.git./config',
  '.git::$INDEX_ALLOCATION/config',
  'GIT~1/hooks/pre-commit',
  '.varve /config.json',
])('a person is asked about a change of %s by the file tools', (path) => {
  expect(isProtected(FileEditorAction.create({ command: 'create', path, file_text: '' }))).toBe(true);
  expect(isProtected(FileEditorAction.create({ command: 'create', path: join(workspace, path), file_text: '' }))).toBe(
    true,
  );
  expect(isProtected(FileEditorAction.create({ command: 'view', path }))).toBe(false);
  for (const line of [`*** Add File: ${path}`, `*** Delete File: ${path}`, `*** Move to: ${path}`]) {
    expect(isProtected(ApplyPatchAction.create({ patch: `*** Begin Patch\n${line}\n*** End Patch` }))).toBe(true);
  }
});

test.for([
  'echo x > .varve/config.json',
  'echo x >> ".var"ve/config.json',
  "echo x > .v'arve'/x",
  'tee .openhands/hooks.json < f',
  'cp f .openhands/',
  'echo x > .git/rebase-merge/git-rebase-todo',
  'echo "* filter=x" >> .gitattributes',
  'git init --bare x',
  'git clone --mirror a b',
  'printf x > bare/config',
  'cp -t .openhands f',
  'mv x .varve',
  'ln -s .openhands foo',
  'cd .openhands && echo x > hooks.json',
  'cd .git; echo x > hooks/pre-commit',
  'pushd .git/hooks',
  'mkdir -p .openhands',
  'rm -rf .git',
  'sed -i s/a/b/ .git/config',
  'dd if=x of=.git/hooks/pre-commit',
  'install -m 755 x .git/hooks/pre-commit',
  'curl -o .mcp.json http://x.example',
  'tar xf a.tar -C .openhands',
  'git config core.hooksPath x',
  "git config alias.x '!sh'",
  'git checkout other -- .openhands/hooks.json',
  'git mv x .openhands/hooks.json',
  "python3 -c \"open('.varve/x', 'w')\"",
  'python3 <<EOF\nopen(".openhands/hooks.json", "w")\nEOF',
  'echo x > .v*/config.json',
  'echo x > .{varve,x}/config.json',
  'X=.varve; echo x > $X/config.json',
  'echo x > $ROOT/.varve/config.json',
  'echo x > $VARVE_HOME/trust.json',
  'bash -c "echo x > .varve/y"',
  'find . -name hooks.json -path "*/.openhands/*" -exec cp evil {} \\;',
  'echo x > link/hooks.json',
  'cp x home/trust.json',
  'some-new-tool --write .varve/x',
  'git config core.fsmonitor ./x --get',
  'git config core.pager list',
  'git config core.pager ./x get',
  'git config --default get core.fsmonitor ./x',
  'git config --comment --get core.fsmonitor ./x',
  'git config --file f --comment=--get core.fsmonitor ./x',
  'echo ../x > .git/commondir',
  'uniq x .varve/config.json',
  'xxd -r x link/hooks.json',
  'tree -o .varve/config.json',
  'less -o .varve/config.json x',
  'less --log-file=.varve/config.json x',
  'git diff --outp=.varve/config.json',
  'echo x > .$(echo varve)/config.json',
  'echo x > .varv[e]/config.json',
  'echo x > .[[:alpha:]]arve/config.json',
  'docker run -v ./.git:/x y',
  'docker run --mount type=bind,src=.openhands,dst=/x y',
  'echo x > /proc/self/cwd/link/hooks.json',
])('a person is asked about %s', (command) => {
  expect(shell(command)).toBe(true);
});

test('the data directory is protected within code, and in scripts that are not read', () => {
  const uses = [
    `cp x ${home}/trust.json`,
    `python3 -c "open('${home}/trust.json', 'w')"`,
    `python3 <<E\nopen("${home}/a")\nE`,
  ];
  const scripts = [`bash <<< 'tee ${home}/a'`, `echo 'touch ${home}/a' | sh`, `x=bash; y=-c; $x $y 'rm ${home}/a'`];
  expect([...uses, ...scripts].filter((command) => !shell(command))).toEqual([]);
  expect(isProtected({ kind: 'MCPToolAction', data: { text: `Write ${home}/trust.json.` } })).toBe(true);
});

test('deleting or moving a directory around the data directory is asked about', () => {
  expect(shell(`rm -r ${home}`)).toBe(true);
  expect(shell(`rm -r ${tmpdir()}`)).toBe(true);
  expect(shell(`mv ${home} x`)).toBe(true);
});

test('a person is asked about a patch whose path has other white space in front', () => {
  for (const blank of ['\u00a0', '\u3000', '\ufeff', '\v'])
    expect(
      isProtected(
        ApplyPatchAction.create({ patch: `*** Begin Patch\n*** Add File:${blank}.varve/x\n+x\n*** End Patch` }),
      ),
    ).toBe(true);
});

test.for([
  'cat .openhands/hooks.json',
  'ls -la .git .varve',
  'grep -r x .openhands | head',
  'git status',
  'git add .openhands && git commit -m "Change .openhands/hooks.json"',
  'git diff -- .varve',
  'git config user.email me@x.example',
  'git config --get core.pager',
  'git config get core.pager',
  'git config --file x --unset core.pager',
  'uniq .varve/config.json',
  'git clone https://x.example/a.git',
  'npm test > out.txt',
  'python3 -c "print(1)"',
  'echo "see .varve/config.json"',
  'rm -rf build',
  'pip install -e ".[dev]"',
  'docker run -v "$PWD":/app x',
])('no one is asked about %s', (command) => {
  expect(shell(command)).toBe(false);
});

test('no one is asked about the name of a commit or about what a command excludes', () => {
  const verbs =
    'checkout reset rebase merge-base push describe tag revert cherry-pick archive fetch rev-list range-diff';
  const named = verbs.split(' ').flatMap((verb) => [`git ${verb} HEAD`, `git -C src ${verb} x HEAD -- a.ts`]);
  const left = ['tar --exclude=.git -czf x.tgz .', 'zip -r x.zip . -x .git/config', 'fd -E .git x'].concat(
    ['--exclude', '--exclude-dir', '--ignore-pattern'].map((option) => `some-tool ${option} .git/hooks src`),
  );
  expect([...named, ...left, 'curl -X HEAD http://x.example', 'make HEAD'].filter(shell)).toEqual([]);
});

test('a file that makes a directory a repository is asked about where it is written', () => {
  const writers = ['touch', 'tee', 'cp x', 'mv x', 'ln -s x', 'install x', 'dd if=x', 'echo x >', 'curl -o', 'sort -o'];
  const others = ['git init --bar x', 'git clone --templ=y x', 'git init --separate-git-dir x'];
  const all = [...writers.map((writer) => `${writer} other/HEAD`), 'cd other && echo x > HEAD', ...others];
  expect(all.filter((command) => !shell(command))).toEqual([]);
});

test('a relative path is protected in each directory to which a command changes', () => {
  const writers = ['echo x >', 'cat x >', 'tee', 'cp x', 'rm -r'];
  const places = [
    `cd ${home}`,
    'cd home',
    'pushd home',
    'cd / && cd home || cd home',
    `cd ${home}/.. && cd ./${basename(home)}`,
  ];
  const all = places.flatMap((place) => writers.map((writer) => `${place}; ${writer} trust.json`));
  const bare = ['hooks/x', 'config', './commondir'].flatMap((file) =>
    writers.map((writer) => `cd bare; ${writer} ${file}`),
  );
  expect([...all, ...bare].filter((command) => !shell(command))).toEqual([]);
});

test('a text about a protected file in the task list is not asked about', () => {
  const action = TaskTrackerAction.create({
    command: 'plan',
    task_list: [{ title: 'Read .varve/config.json', notes: '', status: 'todo' }],
  });
  expect(isProtected(action)).toBe(false);
});

test('a call of another tool that names a protected file is asked about', () => {
  expect(isProtected({ kind: 'MCPToolAction', data: { target: { file: '/x/.openhands/hooks.json' } } })).toBe(true);
  expect(isProtected({ kind: 'MCPToolAction', data: { text: 'Hello.' } })).toBe(false);
});
