import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { trustStore } from '../trust/trust-store.ts';
import { trustSubject } from '../trust/trust-subject.ts';
import { loadPromptCommands, promptOf } from './load-commands.ts';

async function filesIn(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'varve commands ')));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

test('commands of a user are used, and those of a workspace when a person has trusted them as they are', async () => {
  const userHome = await filesIn({
    '.varve/commands/review.md': 'Review $1 for $2. All: $ARGUMENTS',
    '.claude/commands/plain.md': '---\ndescription: A plain one\nargument-hint: [FILE]\n---\nDo it.',
    '.claude/commands/two.md': '---\nargument-hint: [FILE] [LINE]\n---\nDo it.',
    '.claude/commands/broken.md': '---\nno end',
    '.claude/commands/not a name.md': 'x',
  });
  const workspace = await filesIn({
    '.varve/commands/review.md': 'Something else',
    '.claude/commands/release.md': '# Release\nCut it.',
  });
  const directories = { home: join(userHome, '.varve'), userHome };
  const names = async () => (await loadPromptCommands(workspace, directories)).commands.map(({ name }) => name);
  expect(await names()).toEqual(['review', 'plain', 'two']);
  const { configuration, digests, runs } = await trustSubject(workspace, directories);
  expect(runs).toEqual([
    'the command /release of sessions (.claude/commands/release.md)',
    'the command /review of sessions (.varve/commands/review.md)',
  ]);
  await trustStore(directories).add(configuration, digests);
  const { commands, warnings } = await loadPromptCommands(workspace, directories);
  expect(commands.map(({ name, description, argument }) => [name, description, argument])).toEqual([
    ['review', 'Review $1 for $2. All: $ARGUMENTS', undefined],
    ['plain', 'A plain one', '[FILE]'],
    ['two', 'Do it.', '[FILE] [LINE]'],
    ['release', 'Release', undefined],
  ]);
  expect(warnings).toEqual([expect.stringMatching(/broken\.md: The front matter does not end\.$/)]);
  await writeFile(join(workspace, '.claude/commands/release.md'), 'Changed.');
  expect(await names()).toEqual(['review', 'plain', 'two']);
});

test.for([
  ['Review $1 for $2, $1.', 'a b', 'Review a for b, a.'],
  ['All: $ARGUMENTS', 'a b $1', 'All: a b $1'],
  ['Do it.', 'now', 'Do it.\n\nnow'],
  ['Do it.', '', 'Do it.'],
  ['Only $1', '', 'Only '],
] as const)('the template %j with %j is %j', ([template, typed, message]) => {
  expect(promptOf({ template }, typed)).toBe(message);
});
