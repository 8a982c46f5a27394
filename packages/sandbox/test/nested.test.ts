import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPlace, problem } from './support/open-place.ts';

function git(directory: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: directory });
}

function write(path: string, text = ''): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Creates a repository with a worktree and another repository inside, whose settings name a directory of hooks. */
function prepare({ home, workspace }: { readonly home: string; readonly workspace: string }): void {
  const nested = join(workspace, 'vendor/lib');
  for (const directory of [workspace, nested]) {
    write(join(directory, 'file'));
    git(directory, 'init', '-q');
    git(directory, 'add', 'file');
    git(directory, 'commit', '-qm', 'first');
  }
  git(nested, 'config', 'core.hooksPath', 'own-hooks');
  write(join(nested, 'own-hooks/x'));
  git(workspace, 'config', 'extensions.worktreeConfig', 'true');
  git(workspace, 'worktree', 'add', '-q', join(home, 'tree'));
}

describe.skipIf(problem !== undefined)('a program in a sandbox', () => {
  test('changes no settings and hooks of repositories below the workspace, nor of its worktrees', async () => {
    using place = openPlace({ prepare });
    const files = [
      'vendor/lib/.git/config',
      'vendor/lib/.git/hooks/pre-commit',
      'vendor/lib/.git/commondir',
      'vendor/lib/own-hooks/pre-commit',
      '.git/worktrees/tree/config.worktree',
    ];
    const { output } = await place.run(
      `for file in ${files.join(' ')}; do echo evil >> $file; done; mv vendor x; mv vendor/lib x;
      git config --file=.git/worktrees/tree/config.worktree core.fsmonitor evil;
      cd vendor/lib && git -c user.name=a -c user.email=a@b commit -qm next --allow-empty && git log --format=%s`,
    );
    expect(output).toContain('next\nfirst\n');
    place.sandbox.close();
    const texts = files.map((file) => join(place.workspace, file)).filter((file) => existsSync(file));
    expect(texts.map((file) => readFileSync(file, 'utf8')).join('')).not.toContain('evil');
    git(join(place.home, 'tree'), 'status');
    expect(readdirSync(join(place.workspace, '.git/worktrees/tree'))).not.toContain('config.worktree');
  });

  test('changes no names below the workspace that editors, agents and hooks execute, but those of packages', async () => {
    const names = ['a/.vscode/tasks.json', 'a/b/.claude/settings.json', '.husky/pre-commit', '.pre-commit-config.yaml'];
    const other = 'node_modules/x/.vscode/tasks.json';
    using place = openPlace({
      prepare: ({ workspace }) => [...names, other].forEach((name) => write(join(workspace, name), 'kept')),
    });
    await place.run(
      `for file in ${names.join(' ')} ${other}; do echo changed > $file; done; mv a/.vscode x; echo 1 >1; mv 1 a/b/1`,
    );
    const textOf = (name: string): string => readFileSync(join(place.workspace, name), 'utf8');
    expect([...names.map(textOf), textOf(other)]).toEqual(['kept', 'kept', 'kept', 'kept', 'changed\n']);
    // Directories around them are no mounts, between which programs could not rename files.
    expect(existsSync(join(place.workspace, 'a/b/1'))).toBe(true);
    expect((await place.run("python3 -c \"import os; os.rename('a/b/1', '2')\"")).output).toBe('');
  });

  test('clones into a workspace without files', async () => {
    using place = openPlace({ prepare: ({ home }) => write(join(home, 'one/file')) });
    const one = join(place.home, 'one');
    git(one, 'init', '-q');
    git(one, 'add', '.');
    git(one, 'commit', '-qm', 'first');
    expect(await place.run('git clone -q ~/one .; ls')).toEqual({ code: 0, output: 'file\n' });
  });
});
