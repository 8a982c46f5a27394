import { chmod, mkdir, readdir, stat, symlink, truncate } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { openEditor, type Editor } from '../../test/support/open-editor.ts';
import { fileEditor } from './file-editor.ts';

const open = (): Promise<Editor> => openEditor(fileEditor());

test('create over a directory is refused', async () => {
  await using editor = await open();
  expect((await editor.do('create', '.', { file_text: 'new' })).text).toContain('create does not overwrite');
});

test('mode bits are kept', async () => {
  await using editor = await open();
  await editor.write('file', 'a');
  await chmod(editor.at('file'), 0o4755);
  await editor.do('str_replace', 'file', { old_str: 'a', new_str: 'b' });
  expect((await stat(editor.at('file'))).mode & 0o7777).toBe(0o4755);
});

test('a dangling link in a linked directory is resolved relative to its real directory', async () => {
  await using editor = await open();
  await mkdir(editor.at('deep/er'), { recursive: true });
  await symlink('deep/er', editor.at('near'));
  await symlink('../file', editor.at('deep/er/link'));
  await editor.do('create', 'near/link', { file_text: 'a' });
  expect(await editor.read('deep/file')).toBe('a');
});

test('all paths of a file are one resource', async () => {
  await using editor = await open();
  await mkdir(editor.at('real'));
  await symlink('real', editor.at('link'));
  const tool = fileEditor();
  const names = ['real/file', 'link/file', 'real/../link/./file'].map((name) => `${editor.at('.')}/${name}`);
  const keys = names.map((path) => tool.resources({ command: 'view', path }));
  expect(keys).toEqual(names.map(() => [`file:${editor.at('real/file')}`]));
});

test('lines of an older view are not used after something else changed the file', async () => {
  await using editor = await open();
  await editor.write('file', 'alpha\nbeta\n');
  await editor.do('view', 'file');
  await editor.do('insert', 'file', { insert_line: 1, new_str: 'between' });
  await editor.write('file', 'title\nalpha\nbetween\nbeta\n');
  const refused = await editor.do('insert', 'file', { insert_line: 2, new_str: 'gamma' });
  expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining('changed by something else')]);
  expect((await editor.do('insert', 'file', { insert_line: 0, new_str: 'top' })).isError).toBe(false);
  await editor.write('file', 'title\nalpha\n');
  const view = { view_range: [1, 1] };
  expect((await editor.do('view', 'file', view)).text).toMatch(/^NOTE: .* was changed by something else/);
  expect((await editor.do('view', 'file', view)).text).not.toContain('NOTE');
  expect((await editor.do('insert', 'file', { insert_line: 2, new_str: 'gamma' })).isError).toBe(false);
  expect(await editor.read('file')).toBe('title\nalpha\ngamma\n');
});

test('an edit of an earlier process is remembered with its history', async () => {
  await using editor = await open();
  const historyDir = editor.at('history');
  await editor.write('file', 'alpha\n');
  const context = { workspace: editor.at('.'), signal: new AbortController().signal, idempotencyKey: 'k' };
  const insert = { command: 'insert', path: editor.at('file'), insert_line: 1, new_str: 'beta' } as const;
  expect(await fileEditor({ historyDir }).execute(insert, context)).toMatchObject({ is_error: false });
  await editor.write('file', 'title\nalpha\nbeta\n');
  expect(await fileEditor({ historyDir }).execute(insert, context)).toMatchObject({ is_error: true });
});

test('a file over the limit is refused with both sizes', async () => {
  await using editor = await open();
  await editor.write('file', '');
  await truncate(editor.at('file'), 10.5 * 1024 * 1024);
  for (const fields of [{}, { old_str: 'a', new_str: 'b' }]) {
    const { isError, text } = await editor.do('old_str' in fields ? 'str_replace' : 'view', 'file', fields);
    expect(isError).toBe(true);
    expect(text).toMatch(/10\.5 MB.*10\.0 MB/);
  }
});

test('a PDF of plain text is shown', async () => {
  await using editor = await open();
  await editor.write('file.pdf', '%PDF-1.4\ntext\n');
  expect((await editor.do('view', 'file.pdf')).text).toContain('     2\ttext');
});

test('a pipe is refused without being opened', async () => {
  await using editor = await open();
  execFileSync('sh', ['-c', 'mkfifo "$0"', editor.at('pipe')]);
  for (const command of ['view', 'str_replace']) {
    const { isError, text } = await editor.do(command, 'pipe', { old_str: 'a' });
    expect(isError).toBe(true);
    expect(text).toContain('neither a file nor a directory');
  }
});

test.for([
  ['a null character', 'a\0b'],
  ['a name that is too long', 'x'.repeat(300)],
  ['a path that is too long', 'x/'.repeat(5000)],
] as const)('%s is refused', async ([, name]) => {
  await using editor = await open();
  expect((await editor.do('view', name)).isError).toBe(true);
  expect((await editor.do('create', name, { file_text: 'x' })).isError).toBe(true);
});

test.for([4060, 4070, 4080, 4095])(
  'a creation that fails removes the directories that it has made, at a path of %d characters',
  async (length) => {
    await using editor = await open();
    await mkdir(editor.at('kept'));
    // The path itself fits; that of the temporary file next to it does not.
    let name = 'kept';
    while (editor.at(name).length < length - 200) name += `/${'d'.repeat(99)}`;
    name += `/${'e'.repeat(length - editor.at(name).length - 3)}/f`;
    expect(editor.at(name)).toHaveLength(length);
    const { text, isError } = await editor.do('create', name, { file_text: 'x' });
    expect(isError).toBe(true);
    expect(text).toContain('failed: ENAMETOOLONG');
    expect(await readdir(editor.at('.'), { recursive: true })).toEqual(['kept']);
  },
);
