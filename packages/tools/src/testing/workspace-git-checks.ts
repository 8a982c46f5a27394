import assert from 'node:assert/strict';
import type { Workspace } from '../workspace/workspace.ts';
import { rejectsWithCode, type WorkspaceCheck } from './workspace-check.ts';

/** Checks of git in a workspace. */
export const workspaceGitChecks: readonly WorkspaceCheck[] = [
  {
    title: 'lists changes and returns their contents',
    async run(workspace) {
      await repository(workspace, { a: '1\r\n', 'sub/b': '2' });
      await workspace.write('a', '3\n');
      await workspace.write('sub/new file', '4');
      await workspace.execute('rm sub/b');
      const below = [
        { status: 'DELETED', path: 'b' },
        { status: 'ADDED', path: 'new file' },
      ];
      assert.deepEqual(await workspace.changes('sub'), below);
      assert.deepEqual(
        (await workspace.changes()).map(({ path }) => path),
        ['a', 'sub/b', 'sub/new file'],
      );
      assert.deepEqual(await workspace.diff('a', { ref: 'HEAD' }), {
        modified: '3\n',
        original: '1\r\n',
        isBinary: false,
      });
      await rejectsWithCode(workspace.changes('.', { ref: 'none' }), 'invalid-input');
      await rejectsWithCode(workspace.diff('none'), 'invalid-input');
    },
  },
  {
    title: 'compares with a hash, an abbreviated hash, a tag or a branch',
    async run(workspace) {
      await repository(workspace, { a: '1' });
      const { stdout } = await workspace.execute('git tag first; git branch topic; git rev-parse HEAD');
      await workspace.write('b', '2');
      await workspace.execute('git add b; git -c user.name=a -c user.email=a@b commit -q -m second');
      const hash = stdout.trim();
      for (const ref of [hash, hash.slice(0, 8), 'first', 'topic', 'HEAD~1']) {
        assert.deepEqual(await workspace.changes('.', { ref }), [{ status: 'ADDED', path: 'b' }]);
        assert.equal((await workspace.diff('b', { ref })).modified, '2');
      }
      assert.deepEqual(await workspace.changes('.', { ref: 'HEAD' }), []);
    },
  },
  {
    title: 'worktrees are created, used as workspaces, and removed',
    async run(workspace) {
      await repository(workspace, { a: '1' });
      const tree = await workspace.addWorktree('trees/one', { branch: 'topic' });
      assert.equal((await tree.read('a')).toString(), '1');
      await tree.write('a', '2');
      assert.deepEqual(await tree.changes(), [{ status: 'UPDATED', path: 'a' }]);
      assert.deepEqual(await workspace.changes(), []);
      await rejectsWithCode(workspace.removeWorktree('trees/one'), 'invalid-input');
      await workspace.removeWorktree('trees/one', { force: true });
      assert.deepEqual(await workspace.list('trees'), []);
      assert.match((await workspace.execute('git branch --list topic')).stdout, /topic/);
      await workspace.addWorktree('trees/two', { ref: 'topic' });
      await workspace.removeWorktree('trees/two');
      assert.doesNotMatch((await workspace.execute('git worktree list')).stdout, /trees/);
    },
  },
  {
    title: 'a worktree that cannot be created or removed is refused, and leaves no files',
    async run(workspace) {
      await repository(workspace, { a: '1' });
      await workspace.write('taken/x', '');
      await rejectsWithCode(workspace.addWorktree('new', { ref: '--output=x' }), 'invalid-input');
      await rejectsWithCode(workspace.addWorktree('new', { branch: 'main' }), 'unusable');
      await rejectsWithCode(workspace.addWorktree('new', { branch: '-f' }), 'unusable');
      await rejectsWithCode(workspace.addWorktree('taken', { branch: 'topic' }), 'unusable');
      await rejectsWithCode(workspace.removeWorktree('taken', { force: true }), 'invalid-input');
      await rejectsWithCode(workspace.removeWorktree('.', { force: true }), 'invalid-input');
      assert.deepEqual(
        (await workspace.list()).map(({ name }) => name),
        ['.git', 'a', 'taken'],
      );
      await workspace.addWorktree('gone');
      await workspace.execute('rm -r gone');
      await workspace.removeWorktree('gone');
      assert.equal((await workspace.execute('git worktree list')).stdout.trim().split('\n').length, 1);
    },
  },
  {
    title: 'messages of git contain no passwords of URLs',
    async run(workspace) {
      await repository(workspace, { a: '1' });
      const work = workspace.addWorktree('new', { branch: 'https://me:secret@host/x' });
      await assert.rejects(work, { message: /https:\/\/host\/x/ });
    },
  },
  {
    title: 'no program configured by the repository is run for a worktree, changes or a diff',
    async run(workspace) {
      await repository(workspace, { a: '1', '.gitattributes': 'a filter=x diff=x\n' });
      await workspace.execute(`
        printf '#!/bin/sh\\ntouch "%s/ran"\\ncat\\n' "$PWD" > .git/program; chmod +x .git/program
        mkdir -p .git/hooks; for name in post-checkout reference-transaction; do cp .git/program .git/hooks/$name; done
        for name in core.fsmonitor diff.external diff.x.command diff.x.textconv filter.x.clean; do
          git config "$name" "$PWD/.git/program"
        done
        git config filter.x.smudge "$PWD/.git/program"
        git config --file .git/more filter.y.smudge "$PWD/.git/program"
        git config --file .git/more filter.y.clean "$PWD/.git/program"
        git config includeIf.onbranch:topic.path "$PWD/.git/more"
        echo 'a filter=y' > .git/info/attributes
        rm -f ran`);
      const before = await workspace.list();
      const tree = await workspace.addWorktree('tree', { branch: 'topic' });
      await tree.write('a', '2');
      assert.deepEqual(await tree.changes(), [{ status: 'UPDATED', path: 'a' }]);
      await tree.diff('a');
      await rejectsWithCode(workspace.removeWorktree('tree'), 'invalid-input');
      await workspace.removeWorktree('tree', { force: true });
      assert.deepEqual(await workspace.list(), before);
      // Without the overrides these settings run programs.
      await workspace.execute('git worktree add -b topic-2 tree; git status');
      assert.ok((await workspace.list()).some(({ name }) => name === 'ran'));
    },
  },
];

async function repository(workspace: Workspace, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) await workspace.write(name, content);
  const commit = 'git -c user.name=a -c user.email=a@b -c commit.gpgSign=false commit -q -m first';
  const { exitCode, stderr } = await workspace.execute(`git init -q -b main && git add -A && ${commit}`);
  assert.equal(exitCode, 0, stderr);
}
