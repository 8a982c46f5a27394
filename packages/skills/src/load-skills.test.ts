import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSkills } from './load-skills.ts';

/** Returns a directory with these files. */
async function directory(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'varve-skills-')));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(join(root, '.git'));
  for (const [path, content] of Object.entries(files)) {
    const parents = dirname(path).split('/');
    for (const [index] of parents.entries()) {
      await mkdir(join(root, ...parents.slice(0, index + 1))).catch(() => undefined);
    }
    await writeFile(join(root, path), content);
  }
  return root;
}

const listed = (name: string, rest = ''): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n${rest}---\nText.`;

test('directories, legacy files and all roots are read, and a project replaces the skills of the user', async () => {
  const workspace = await directory({
    '.agents/skills/pdf/SKILL.md': listed('pdf'),
    '.agents/skills/pdf/references/forms.md': 'Not a skill.',
    '.openhands/microagents/repo.md': 'Always.',
    '.openhands/microagents/README.md': 'Not a skill.',
    '.openhands/microagents/deep/git.md': '\uFEFF---\r\ntriggers: [git, 42]\r\n---\r\nUse git.',
  });
  const home = await directory({
    '.varve/skills/pdf/SKILL.md': listed('pdf', 'license: MIT\n'),
    '.varve/skills/csv/skill.md': listed('csv'),
  });
  const { skills, problems } = await loadSkills({ workspace, home });
  expect(problems).toEqual([]);
  expect(skills).toMatchObject([
    { name: 'csv', scope: 'user', isListed: true },
    { name: 'git', content: 'Use git.', trigger: { type: 'keyword', keywords: ['git', '42'] } },
    { name: 'pdf', scope: 'project', resources: ['references/forms.md'] },
    { name: 'repo', isListed: false },
  ]);
  expect(skills.find(({ name }) => name === 'repo')?.trigger).toBeUndefined();
});

test('skills of the repository around a workspace are read, and disabled ones are not', async () => {
  const root = await directory({ '.agents/skills/a.md': 'A.', '.agents/skills/b.md': 'B.', 'src/main.ts': '' });
  const { skills } = await loadSkills({ workspace: join(root, 'src'), disabled: ['b'] });
  expect(skills.map(({ name }) => name)).toEqual(['a']);
});

test('front matter is read as other agents read it', async () => {
  const fields = [
    'version: 1.0',
    'metadata: {author: ada, count: 3}',
    'allowed-tools: Bash Read',
    'disable-model-invocation: true',
    'paths: []',
    'inputs: [{name: branch, description: The branch.}]',
    'triggers: [deploy]',
  ];
  const workspace = await directory({ '.varve/skills/ship/SKILL.md': listed('ship', `${fields.join('\n')}\n`) });
  expect((await loadSkills({ workspace })).skills).toMatchObject([
    {
      version: '1',
      metadata: { author: 'ada', count: '3' },
      allowedTools: ['Bash', 'Read'],
      disableModelInvocation: true,
      trigger: { type: 'task', triggers: ['/ship', 'deploy'] },
      inputs: [{ name: 'branch', description: 'The branch.' }],
    },
  ]);
});

test('long descriptions are shortened, those of 1024 characters are not', async () => {
  const files = Object.fromEntries(
    [1024, 1025].map((length) => [`.varve/skills/a${length}.md`, `---\ndescription: ${'x'.repeat(length)}\n---\n`]),
  );
  const { skills } = await loadSkills({ workspace: await directory(files) });
  expect(skills.map(({ description }) => [description?.length, description?.endsWith('x')])).toEqual([
    [1024, true],
    [1024, false],
  ]);
});

const bomb = [
  'a: &a [x]',
  ...'bcdefghi'.split('').map((key, i) => `${key}: &${key} [${`*${'abcdefgh'[i]},`.repeat(9)}]`),
];

test.for([
  ['---\nname: a\nname: b\n---\n', 3, 'unique'],
  ['---\ntriggers: [\n---\n', 3, 'YAML'],
  ['---\nname: "a" b\n---\n', 2, 'needs quotes around it'],
  ['---\n- a\n---\n', 2, 'map'],
  ['---\nname: a\n', 1, 'end'],
  ['---\ntriggers: 5\n---\n', 2, 'triggers'],
  ['---\npaths: 5\n---\n', 2, 'paths'],
  [`---\npaths: ${'x'.repeat(501)}\n---\n`, 2, 'at most 500 characters'],
  [`---\n${bomb.join('\n')}\n---\n`, 2, 'aliases'],
  [`---\n${'# x\n'.repeat(5000)}---\n`, 1, 'longer'],
  [`---\na: [${'a: '.repeat(5000)}]\n---\n`, 2, 'deep'],
] as const)('the front matter of %j has a problem in line %i', async ([content, line, reason]) => {
  const workspace = await directory({ '.varve/skills/bad.md': content, '.varve/skills/good.md': 'Good.' });
  const { skills, problems } = await loadSkills({ workspace });
  expect(skills.map(({ name }) => name)).toEqual(['good']);
  expect(problems).toMatchObject([{ path: join(workspace, '.varve/skills/bad.md'), line }]);
  expect(problems[0]?.message).toContain(reason);
});

test('skills of .claude are read, with an unquoted colon in a description', async () => {
  const text = '---\nname: notes\ndescription: Use this: for notes. Not: for code.\n---\nText.';
  const workspace = await directory({ '.claude/skills/notes/SKILL.md': text });
  const { skills, problems } = await loadSkills({ workspace });
  expect(problems).toEqual([]);
  expect(skills).toMatchObject([{ name: 'notes', description: 'Use this: for notes. Not: for code.' }]);
});

test.each([
  ['description: [file] [line]', '[file] [line]'],
  ['description: *.ts and @file', '*.ts and @file'],
  ['description: {a} or `b`', '{a} or `b`'],
  ['tools: [a,\n  b]\ndescription: Use: this', 'Use: this'],
  ['description: "quoted: yes"\nargument-hint: [a] [b]', 'quoted: yes'],
])('%j is text, as for other agents', async (fields, description) => {
  const workspace = await directory({ '.claude/skills/notes/SKILL.md': `---\nname: notes\n${fields}\n---\nText.` });
  expect(await loadSkills({ workspace })).toMatchObject({ problems: [], skills: [{ description }] });
});

test('rules of Cursor always apply, apply to paths, are loaded by the model, or are named by the user', async () => {
  const workspace = await directory({
    '.cursor/rules/always.mdc': '---\ndescription:\nglobs:\nalwaysApply: true\n---\nBe brief.',
    '.cursor/rules/web/react.mdc': '---\nglobs: *.{jsx,tsx},src/ui/**\nalwaysApply: false\n---\nUse hooks.',
    '.cursor/rules/list.mdc': '---\nglobs: ["*.sql"]\n---\nUse CTEs.',
    '.cursor/rules/Release Notes.mdc': '---\ndescription: How to: write notes\nalwaysApply: false\n---\nGroup them.',
    '.cursor/rules/manual.mdc': '---\nalwaysApply: false\n---\nOnly on demand.',
    '.cursor/rules/plain.mdc': 'No front matter.',
    '.cursor/rules/notes.md': 'Cursor does not read this.',
    '.cursor/rules/broken.mdc': '---\nglobs: [\n---\nText.',
  });
  const { skills, problems } = await loadSkills({ workspace });
  expect(skills).toMatchObject([
    { name: 'always', isListed: false, content: 'Be brief.' },
    { name: 'list', trigger: { type: 'path', paths: ['*.sql'] } },
    { name: 'manual', trigger: { type: 'keyword', keywords: ['@manual'] } },
    { name: 'plain', trigger: { type: 'keyword', keywords: ['@plain'] } },
    { name: 'react', trigger: { type: 'path', paths: ['*.{jsx,tsx}', 'src/ui/**'] } },
    { name: 'release-notes', isListed: true, description: 'How to: write notes', content: 'Group them.' },
  ]);
  expect(skills.map(({ trigger }) => trigger !== undefined)).toEqual([false, true, true, true, true, false]);
  expect(problems.map(({ path }) => path)).toEqual([join(workspace, '.cursor/rules/broken.mdc')]);
});

test('an empty directory named .git does not hide the repository around it', async () => {
  const root = await directory({ '.git/HEAD': 'ref: refs/heads/main', '.varve/skills/outer.md': 'Outer.' });
  const workspace = join(root, 'inner');
  await mkdir(join(workspace, '.git'), { recursive: true });
  expect((await loadSkills({ workspace })).skills.map(({ name }) => name)).toEqual(['outer']);
});

test.for([
  ['pdf', 'other', 'pdf'],
  ['PDF Forms', 'x', 'pdf-forms'],
  ['Überblick: Größe', 'x', 'uberblick-gro-e'],
  ['名前', 'The_Name', 'the-name'],
  [`a${'b'.repeat(64)}`, 'x', `a${'b'.repeat(63)}`],
] as const)('a SKILL.md named %s in the directory %s is the skill %s', async ([name, folder, expected]) => {
  const workspace = await directory({ [`.agents/skills/${folder}/SKILL.md`]: listed(JSON.stringify(name)) });
  const { skills, problems } = await loadSkills({ workspace });
  expect([skills.map((skill) => skill.name), problems]).toEqual([[expected], []]);
});

test('files of a skill that cannot be used are problems, and the skill works without them', async () => {
  const workspace = await directory({
    '.agents/skills/a/SKILL.md': listed('a'),
    '.agents/skills/a/.mcp.json': '{',
    '.agents/skills/a/scripts/big.sh': 'x'.repeat(1024 * 1024 + 1),
    '.agents/skills/a/scripts/ok.sh': 'echo',
    ...Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`.agents/skills/a/assets/${index}`, ''])),
  });
  const { skills, problems } = await loadSkills({ workspace, trusted: () => true });
  expect(skills).toMatchObject([{ name: 'a', executes: ['scripts'], mcpServers: {} }]);
  expect(skills[0]?.resources).toContain('scripts/ok.sh');
  expect(skills[0]?.resources).not.toContain('scripts/big.sh');
  expect(problems.map(({ path }) => path.slice(workspace.length))).toEqual([
    '/.agents/skills/a',
    '/.agents/skills/a/scripts/big.sh',
    '/.agents/skills/a/.mcp.json',
  ]);
});

test('what executes something is left out without trust, and trust ends with a change of a script', async () => {
  const files = {
    '.agents/skills/db/SKILL.md': `${listed('db')} !\`date\``,
    '.agents/skills/db/scripts/run.sh': 'echo 1',
    '.agents/skills/db/.mcp.json': '{"mcpServers": {"db": {"command": "db-server"}}}',
  };
  const workspace = await directory(files);
  const [untrusted] = (await loadSkills({ workspace })).skills;
  expect(untrusted).toMatchObject({
    executes: ['commands', 'mcp', 'scripts'],
    isTrusted: false,
    resources: [],
    mcpServers: {},
  });
  const trusted = (digest: string): boolean => digest === untrusted?.digest;
  expect((await loadSkills({ workspace, trusted })).skills).toMatchObject([
    { isTrusted: true, resources: ['scripts/run.sh'], mcpServers: { db: { command: 'db-server' } } },
  ]);
  await writeFile(join(workspace, '.agents/skills/db/scripts/run.sh'), 'echo 2');
  expect((await loadSkills({ workspace, trusted })).skills[0]?.isTrusted).toBe(false);
});

const names = async (options: Parameters<typeof loadSkills>[0]) =>
  (await loadSkills(options)).skills.map(({ name }) => name);

test('links that lead outside of a project are refused, and those of the user are followed', async () => {
  const outside = await directory({ 'pdf/SKILL.md': listed('pdf'), 'SKILL.md': listed('csv') });
  const place = async () => {
    const root = await directory({ '.agents/skills/csv/keep': '', '.agents/skills/ok.md': 'Fine.' });
    await symlink(join(outside, 'pdf'), join(root, '.agents/skills/pdf'));
    await symlink(join(outside, 'SKILL.md'), join(root, '.agents/skills/csv/SKILL.md'));
    await symlink(join(root, '.agents'), join(root, '.agents/skills/circle'));
    return root;
  };
  expect(await names({ workspace: await place() })).toEqual(['ok']);
  expect(await names({ workspace: outside, home: await place() })).toEqual(['csv', 'ok', 'pdf']);
});

test('an agent has at most 100 skills, and the others are problems', async () => {
  const files = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`.varve/skills/s${index}.md`, 'Text.']));
  const { skills, problems } = await loadSkills({ workspace: await directory(), home: await directory(files) });
  expect([skills.length, problems.length]).toEqual([100, 1]);
});

test('of a repository with any number of files, the first 100 are read', async () => {
  const files = Array.from({ length: 101 }, (_, index) => [
    `.varve/skills/s${index}.md`,
    index < 50 ? '---\n' : 'Text.',
  ]);
  const home = await directory({ '.varve/skills/own.md': 'Own.' });
  const { skills, problems } = await loadSkills({ workspace: await directory(Object.fromEntries(files)), home });
  expect(skills.map(({ name }) => name)).toContain('own');
  expect(skills.length + problems.length).toBe(102);
  expect(problems.at(-1)?.message).toBe('The repository has 101 files of skills, of which the first 100 are read.');
});

test.for([
  ['paths: "*.ts, docs/"', { type: 'path', paths: ['*.ts', 'docs/'] }, true],
  ['paths: ["*.ts"]\ntriggers: [git]', { type: 'path', paths: ['*.ts'] }, true],
  ['paths: []\ntriggers: [git]', { type: 'keyword', keywords: ['git'] }, false],
] as const)('front matter with %j has the trigger %j', async ([fields, trigger, disableModelInvocation]) => {
  const workspace = await directory({ '.varve/skills/one.md': `---\n${fields}\n---\nText.` });
  expect((await loadSkills({ workspace })).skills).toMatchObject([{ trigger, disableModelInvocation }]);
});

test('texts that always apply have a limit together, and those beyond it are problems', async () => {
  const long = 'x'.repeat(40_000);
  const workspace = await directory({
    '.varve/skills/a.md': long,
    '.varve/skills/b.md': long,
    '.varve/skills/c.md': `---\ntriggers: [c]\n---\n${long}`,
    '.varve/skills/d.md': 'Short.',
  });
  const { skills, problems } = await loadSkills({ workspace });
  expect(skills.map(({ name }) => name)).toEqual(['a', 'c', 'd']);
  expect(problems).toMatchObject([{ path: join(workspace, '.varve/skills/b.md') }]);
});
