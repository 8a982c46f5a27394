import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Workspace } from '../workspace/workspace.ts';
import { rejectsWithCode, type WorkspaceCheck } from './workspace-check.ts';

/** Checks of files in a workspace. */
export const workspaceFileChecks: readonly WorkspaceCheck[] = [
  {
    title: 'reads written files, also with blanks, punctuation and any letters in their names',
    async run(workspace) {
      for (const name of [
        'a b',
        'a#b?c&d=e',
        '100%',
        '%20',
        'späce/日本',
        "it's",
        'quo"te',
        '-n',
        '$HOME',
        'new\nline',
      ]) {
        const content = Buffer.from([0, 1, 255, ...Buffer.from(name)]);
        await workspace.write(`sub/${name}`, content);
        assert.deepEqual(await workspace.read(`sub/${name}`), content);
        assert.deepEqual(await workspace.read(join(workspace.directory, 'sub', name)), content);
      }
    },
  },
  {
    title: 'replaces a file, also with empty content',
    async run(workspace) {
      await workspace.write('file', 'long enough\r\n');
      await workspace.write('file', 'ä');
      assert.equal((await workspace.read('file')).toString(), 'ä');
      await workspace.write('file', '');
      assert.equal((await workspace.read('file')).length, 0);
    },
  },
  {
    title: 'lists names with their kinds, hidden ones included, sorted',
    async run(workspace) {
      assert.deepEqual(await workspace.list(), []);
      for (const name of ['b', 'B', '.hidden', 'new\nline', '*', 'sub/x']) await workspace.write(name, '');
      await workspace.execute('ln -s sub link; ln -s nowhere broken; mkfifo pipe');
      const expected = [
        ['*', 'file'],
        ['.hidden', 'file'],
        ['B', 'file'],
        ['b', 'file'],
        ['broken', 'link'],
        ['link', 'link'],
        ['new\nline', 'file'],
        ['pipe', 'other'],
        ['sub', 'directory'],
      ];
      assert.deepEqual(
        (await workspace.list()).map(({ name, kind }) => [name, kind]),
        expected,
      );
      assert.deepEqual(await workspace.list('sub'), [{ name: 'x', kind: 'file' }]);
    },
  },
  {
    title: 'refuses missing paths and paths of the wrong kind',
    async run(workspace) {
      await workspace.write('sub/file', '');
      await rejectsWithCode(workspace.read('none'), 'invalid-input');
      await rejectsWithCode(workspace.read('sub'), 'invalid-input');
      await rejectsWithCode(workspace.list('none'), 'invalid-input');
      await rejectsWithCode(workspace.list('sub/file'), 'invalid-input');
      await rejectsWithCode(workspace.download('none', join(tmpdir(), 'none')), 'invalid-input');
    },
  },
  {
    title: 'refuses every path that leads outside',
    async run(workspace) {
      const sibling = `${workspace.directory}-sibling`;
      for (const path of ['..', '../x', 'a/../../x', '/etc/passwd', sibling, `${sibling}/x`, 'a\0b']) {
        const works: readonly ((path: string) => Promise<unknown>)[] = [
          workspace.read,
          (place) => workspace.write(place, ''),
          workspace.list,
          (directory) => workspace.execute('true', { directory }),
          (place) => workspace.upload('/etc/passwd', place),
          (place) => workspace.download(place, join(tmpdir(), 'never')),
          workspace.changes,
          workspace.diff,
          workspace.addWorktree,
          workspace.removeWorktree,
        ];
        for (const [index, work] of works.entries())
          await rejectsWithCode(work(path), 'invalid-input', `${path}, method ${index}`);
      }
    },
  },
  {
    title: 'copies empty and large files in and out, and creates their parent directories',
    async run(workspace) {
      await using host = await hostDirectory();
      for (const bytes of [Buffer.alloc(0), randomBytes(9 * 1024 * 1024 + 1)]) {
        await writeFile(host.at('from'), bytes);
        await workspace.upload(host.at('from'), 'deep/er/to');
        assert.ok(bytes.equals(await workspace.read('deep/er/to')));
        await workspace.download('deep/er/to', host.at('back/again'));
        assert.ok(bytes.equals(await readFile(host.at('back/again'))));
      }
      assert.deepEqual(await workspace.list('deep/er'), [{ name: 'to', kind: 'file' }]);
      assert.deepEqual(await readdir(host.at('back')), ['again']);
    },
  },
  {
    title: 'a failed copy leaves no files',
    async run(workspace) {
      await using host = await hostDirectory();
      await workspace.write('file', 'x');
      await writeFile(host.at('taken'), 'old');
      await rejectsWithCode(workspace.download('file', host.at('taken/below')), 'invalid-input');
      await rejectsWithCode(workspace.download('file', 'relative'), 'invalid-input');
      await rejectsWithCode(workspace.download('none', host.at('taken')), 'invalid-input');
      await rejectsWithCode(workspace.upload(host.at('none'), 'new'), 'invalid-input');
      await rejectsWithCode(workspace.upload('relative', 'new'), 'invalid-input');
      await rejectsWithCode(workspace.upload(host.at('.'), 'new'), 'invalid-input');
      assert.deepEqual(await readdir(host.at('.')), ['taken']);
      assert.equal(await readFile(host.at('taken'), 'utf8'), 'old');
      assert.deepEqual(await workspace.list(), [{ name: 'file', kind: 'file' }]);
    },
  },
  {
    title: 'does nothing if the signal has already aborted',
    async run(workspace) {
      const options = { signal: AbortSignal.abort() };
      await using host = await hostDirectory();
      await writeFile(host.at('from'), 'x');
      await workspace.write('file', 'old');
      const works: readonly ((target: Workspace) => Promise<unknown>)[] = [
        (target) => target.read('file', options),
        (target) => target.write('file', 'new', options),
        (target) => target.list('.', options),
        (target) => target.execute('echo new > file', options),
        (target) => target.upload(host.at('from'), 'file', options),
        (target) => target.download('file', host.at('to'), options),
      ];
      for (const [index, work] of works.entries()) await rejectsWithCode(work(workspace), 'aborted', `method ${index}`);
      assert.equal((await workspace.read('file')).toString(), 'old');
      assert.deepEqual(await readdir(host.at('.')), ['from']);
    },
  },
];

async function hostDirectory(): Promise<AsyncDisposable & { readonly at: (path: string) => string }> {
  const path = await mkdtemp(join(tmpdir(), 'varve-host-'));
  return {
    at: (name) => join(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
