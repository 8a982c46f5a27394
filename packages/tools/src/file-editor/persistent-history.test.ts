import { mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import { fileEditor } from './file-editor.ts';

/** Creates a workspace with one file and successive editors. */
async function place() {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'varve-history-')));
  const historyDir = join(workspace, 'history');
  const path = join(workspace, 'file');
  await writeFile(path, 'zero');
  const context = { workspace, signal: new AbortController().signal, idempotencyKey: 'x' };
  return {
    path,
    historyDir,
    /** Returns a new editor, as in a new process. */
    async call(input: object, options = { historyDir }) {
      const tool = fileEditor(options);
      const { content, is_error: isError } = await tool.execute(tool.parse({ path, ...input }), context);
      await tool.close();
      return { isError, text: textOf(content) };
    },
    read: () => readFile(path, 'utf8'),
    [Symbol.asyncDispose]: () => rm(workspace, { recursive: true, force: true }),
  };
}

const replace = (old_str: string, new_str: string) => ({ command: 'str_replace', old_str, new_str });
const undo = { command: 'undo_edit' };

test('edits of one editor can be undone by the next one, step by step', async () => {
  await using at = await place();
  await at.call(replace('zero', 'one'));
  await at.call(replace('one', 'two'));
  expect((await at.call(undo)).isError).toBe(false);
  expect(await at.read()).toBe('one');
  expect((await at.call(undo)).isError).toBe(false);
  expect(await at.read()).toBe('zero');
  expect((await at.call(undo)).text).toContain('no edit history');
  expect(await readdir(at.historyDir)).toEqual(['edits.json']);
});

test('the creation of a file can be undone by a later editor', async () => {
  await using at = await place();
  const path = `${at.path}2`;
  await at.call({ command: 'create', path, file_text: 'x' });
  expect((await at.call({ ...undo, path })).isError).toBe(false);
  await expect(stat(path)).rejects.toThrow('ENOENT');
});

test('ten edits are stored, readable by this user only, and other files in the directory stay', async () => {
  await using at = await place();
  await at.call(replace('zero', 'n0'));
  await writeFile(join(at.historyDir, 'mine'), 'x');
  await writeFile(join(at.historyDir, `${'0'.repeat(64)}.before`), 'left by a crash');
  for (let edit = 0; edit < 11; edit += 1) await at.call(replace(`n${edit}`, `n${edit + 1}`));
  const kept = await readdir(at.historyDir);
  expect(kept.filter((name) => name.endsWith('.before'))).toHaveLength(10);
  expect(kept).toContain('mine');
  expect(kept).toHaveLength(12);
  expect((await stat(at.historyDir)).mode & 0o777).toBe(0o700);
  for (const name of kept.filter((file) => /^(edits\.json|(?!0{64}).*\.before)$/.test(file))) {
    expect((await stat(join(at.historyDir, name))).mode & 0o777, name).toBe(0o600);
  }
  for (let edit = 0; edit < 10; edit += 1) expect((await at.call(undo)).isError).toBe(false);
  expect(await at.read()).toBe('n1');
});

test('an undo of a file that was changed between two editors is refused', async () => {
  await using at = await place();
  await at.call(replace('zero', 'one'));
  await writeFile(at.path, 'mine');
  expect((await at.call(undo)).text).toContain('changed by something else');
  expect(await at.read()).toBe('mine');
});

test.for([
  ['of another form', '{"edits":[]}'],
  ['cut off', '[{"path":"/fi'],
  ['that names a file elsewhere', '[{"path":"/file","after":"","before":"../file"}]'],
  ['whose stored contents are missing', `[{"path":"/file","after":"","before":"${'0'.repeat(64)}.before"}]`],
])('an index %s is not used, and the next edit starts a new history', async ([, text]) => {
  await using at = await place();
  await at.call(replace('zero', 'one'));
  await writeFile(join(at.historyDir, 'edits.json'), text ?? '');
  expect((await at.call(undo)).text).toContain('no edit history');
  await at.call(replace('one', 'two'));
  await at.call(undo);
  expect(await at.read()).toBe('one');
});

test('contents that a crash has truncated or changed are not restored', async () => {
  await using at = await place();
  for (const spoilt of ['', 'zer', 'ZERO']) {
    await at.call(replace('zero', 'one'));
    const name = (await readdir(at.historyDir)).find((fileName) => fileName.endsWith('.before')) ?? '';
    await writeFile(join(at.historyDir, name), spoilt);
    expect((await at.call(undo)).text).toContain('no edit history');
    expect(await at.read()).toBe('one');
    await at.call(replace('one', 'zero'));
    await rm(at.historyDir, { recursive: true });
  }
});

test('a directory that is not absolute is unusable', () => {
  expect(() => fileEditor({ historyDir: 'history' })).toThrow('The directory history is not an absolute path.');
});

test('an edit succeeds even if its history cannot be stored', async () => {
  await using at = await place();
  expect((await at.call(replace('zero', 'one'), { historyDir: join(at.path, 'below') })).isError).toBe(false);
  expect(await at.read()).toBe('one');
});
