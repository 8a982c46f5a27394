import { mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import { openedTool, type OpenedTool } from '../../src/testing/opened-tool.ts';
import { fileEditor } from '../../src/file-editor/file-editor.ts';
import { viewDirectory } from '../../src/file-editor/view-directory.ts';
import type { FileEditorOptions } from '../../src/file-editor/file-editor-options.ts';

const open = (options: FileEditorOptions = {}): Promise<OpenedTool> => openedTool(fileEditor(options));

const view = async ({ call, workspace }: OpenedTool, name: string, fields: object = {}): Promise<string> => {
  const { content, is_error } = await call({ command: 'view', path: join(workspace, name), ...fields });
  return `${is_error ? 'ERROR ' : ''}${textOf(content)}`;
};

const write = ({ workspace }: OpenedTool, name: string, text: string | Buffer): Promise<void> =>
  writeFile(join(workspace, name), text);

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

test('a file is shown with the numbers of cat -n', async () => {
  await using editor = await open();
  await write(editor, 'file', 'one\n\ttwo\n\nfour');
  const path = join(editor.workspace, 'file');
  expect(await view(editor, 'file')).toBe(
    `${path} as \`cat -n\` shows it:\n     1\tone\n     2\t\ttwo\n     3\t\n     4\tfour`,
  );
});

test('an empty file is reported as empty', async () => {
  await using editor = await open();
  await write(editor, 'file', '');
  expect(await view(editor, 'file')).toContain('is empty');
});

test.for([
  ['the middle', [2, 3], '     2\tline 2\n     3\tline 3'],
  ['to the end', [3, -1], '     3\tline 3\n     4\tline 4'],
  ['one line', [4, 4], '     4\tline 4'],
  ['beyond the end', [3, 9], '     3\tline 3\n     4\tline 4'],
] as const)('%s of a file is shown', async ([, view_range, lines]) => {
  await using editor = await open();
  await write(editor, 'file', numbered(4));
  const text = await view(editor, 'file', { view_range });
  expect(text.slice(text.indexOf('\n') + 1)).toBe(lines);
  expect(text.includes('NOTE')).toBe(view_range[1] === 9);
});

test.for([
  ['a range from 0', [0, 2], '[1, 4]'],
  ['a range after the end', [5, 6], '[1, 4]'],
  ['a range backwards', [3, 1], 'must not come before'],
  ['half a range', [1], 'exactly two'],
] as const)('%s is refused', async ([, view_range, reason]) => {
  await using editor = await open();
  await write(editor, 'file', numbered(4));
  const text = await view(editor, 'file', { view_range });
  expect(text).toMatch(/^ERROR Invalid `view_range`/);
  expect(text).toContain(reason);
});

test('a range with anything but integers is invalid input', async () => {
  await using editor = await open();
  for (const view_range of [[1.5, 2], ['1', '2'], 'all']) {
    expect(() => editor.tool.parse({ command: 'view', path: '/x', view_range })).toThrow(/view_range/);
  }
});

test('a range of a directory is refused', async () => {
  await using editor = await open();
  expect(await view(editor, '.', { view_range: [1, 2] })).toMatch(/^ERROR Invalid `view_range`/);
});

test('a directory is listed two levels deep', async () => {
  await using editor = await open();
  for (const name of ['b/deep/deeper', 'a', '.git']) await mkdir(join(editor.workspace, name), { recursive: true });
  for (const name of ['b/file', 'b/.hidden', 'b/deep/x', 'top', '.env', 'A']) await write(editor, name, '');
  await symlink('b', join(editor.workspace, 'linked'));
  const root = editor.workspace;
  const names = ['', 'A', 'a/', 'b/', 'b/deep/', 'b/file', 'linked/', 'linked/deep/', 'linked/file', 'top'];
  expect(await view(editor, '')).toBe(
    `Files and directories in ${root}, 2 levels deep, without hidden ones:
${names.map((name) => `${root}/${name}`).join('\n')}

[2 hidden entries in this directory not shown; \`ls -la ${root}\` lists them.]`,
  );
});

test('a hidden directory is listed if it is requested', async () => {
  await using editor = await open();
  await mkdir(join(editor.workspace, '.config'));
  await write(editor, '.config/file', '');
  expect(await view(editor, '.config')).toContain('.config/file');
});

test('of a thousand files the first are listed and the rest are counted', async () => {
  await using editor = await open();
  await Promise.all(
    Array.from({ length: 1000 }, (_, index) => write(editor, `file-${String(index).padStart(4, '0')}`, '')),
  );
  const text = await view(editor, '.');
  expect(text.length).toBeLessThan(16_200);
  const left = Number(/\[(\d+) more entries/.exec(text)?.[1]);
  expect(text.split('\n').filter((line) => /\/file-\d{4}$/.test(line))).toHaveLength(1000 - left);
});

test('a directory that cannot be read is an error, and is listed without entries below another one', async () => {
  await using editor = await open();
  await mkdir(join(editor.workspace, 'locked', 'inner'), { recursive: true });
  const options = { maxChars: 1000, roots: undefined, signal: new AbortController().signal };
  const stats = await stat(editor.workspace);
  // Paths of directories that another program removes after they were found; root can read all others.
  expect(await viewDirectory({ path: '/gone', real: join(editor.workspace, 'gone'), stats }, options)).toMatchObject({
    refused: expect.stringContaining('Listing'),
  });
  const listing = await viewDirectory({ path: '/gone', real: editor.workspace, stats }, options);
  expect(listing).toContain('/gone/locked/');
  expect(listing).not.toContain('inner');
});

test('the middle of a long line is omitted', async () => {
  await using editor = await open();
  await write(editor, 'file', `start${'x'.repeat(40_000)}end`);
  const text = await view(editor, 'file');
  expect(text.length).toBeLessThan(16_200);
  expect(text).toMatch(/ {5}1\tstartx+\[\d+ characters left out\]x+end$/);
});

test('of many lines whole ones are omitted, and every number is correct', async () => {
  await using editor = await open();
  await write(editor, 'file', numbered(16_000));
  const text = await view(editor, 'file');
  expect(text.length).toBeLessThan(16_200);
  const lines = text.split('\n').slice(1);
  const numbers = lines.flatMap((line) => /^ *(\d+)\tline (\d+)$/.exec(line)?.slice(1) ?? []);
  expect(numbers.length).toBe((lines.length - 1) * 2);
  expect(numbers.filter((_, index) => index % 2 === 0)).toEqual(numbers.filter((_, index) => index % 2 === 1));
  const [, from, to] = /\[Lines (\d+) to (\d+) left out/.exec(text) ?? [];
  expect(Number(to) - Number(from) + 1 + numbers.length / 2).toBe(16_000);
});

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test.for(['pixel.png', 'PIXEL.PNG', 'pixel.jpg'])('%s is shown as an image of its real type', async (name) => {
  await using editor = await open();
  await write(editor, name, Buffer.from(pixel, 'base64'));
  const { content } = await editor.call({ command: 'view', path: join(editor.workspace, name) });
  expect(content).toMatchObject([{ type: 'text' }, { type: 'image', image_urls: [`data:image/png;base64,${pixel}`] }]);
});

test('an image over 5 MB, and a file with only the extension of an image, are refused', async () => {
  await using editor = await open();
  await write(editor, 'big.png', Buffer.concat([Buffer.from(pixel, 'base64'), Buffer.alloc(5 * 1024 * 1024)]));
  await write(editor, 'fake.png', 'text');
  expect(await view(editor, 'big.png')).toMatch(/^ERROR .*5\.0 MB/);
  expect(await view(editor, 'fake.png')).toMatch(/^ERROR /);
});

test('a relative path is refused, with the absolute path if that exists', async () => {
  await using editor = await open();
  await write(editor, 'file', 'a');
  const texts = await Promise.all(
    ['file', 'missing', 'C:\\file'].map((path) => editor.call({ command: 'view', path })),
  );
  expect(texts.map(({ is_error }) => is_error)).toEqual([true, true, true]);
  const [first = '', ...others] = texts.map(({ content }) => textOf(content));
  expect(first).toContain(`Maybe you meant ${join(editor.workspace, 'file')}.`);
  expect(others.join()).not.toContain('Maybe');
});

test('a missing path is refused, and only view works on directories', async () => {
  await using editor = await open();
  expect(await view(editor, 'missing')).toMatch(/^ERROR Invalid `path`/);
  for (const command of ['str_replace', 'insert', 'undo_edit']) {
    const { is_error, content } = await editor.call({ command, path: editor.workspace });
    expect([is_error, textOf(content)]).toEqual([true, expect.stringContaining('only view')]);
  }
});

test('files outside of the workspace cannot be viewed, changed or detected', async () => {
  await using editor = await open();
  await using other = await open();
  await write(other, 'file', 'secret');
  await symlink(other.workspace, join(editor.workspace, 'out'));
  await symlink(join(other.workspace, 'new'), join(editor.workspace, 'dangling'));
  const outside = ['out/file', 'out/missing', 'dangling', '../elsewhere', `../${'x'.repeat(8)}`].map(
    (name) => `${editor.workspace}/${name}`,
  );
  for (const path of [...outside, join(other.workspace, 'file'), `${editor.workspace}-sibling`, '/etc/passwd', '/']) {
    for (const command of ['view', 'create', 'str_replace']) {
      const { is_error, content } = await editor.call({ command, path, file_text: 'x', old_str: 'secret' });
      expect([is_error, textOf(content)]).toEqual([true, expect.stringContaining('outside of the directories')]);
    }
  }
  expect(await view(editor, '.')).not.toContain('out/file');
});

test('further roots are accessible, and `unrestricted` allows every path', async () => {
  await using other = await open();
  await write(other, 'file', 'text');
  await using rooted = await open({ roots: [other.workspace] });
  await using free = await open({ jail: 'unrestricted' });
  for (const editor of [rooted, free]) {
    expect((await editor.call({ command: 'view', path: join(other.workspace, 'file') })).is_error).toBe(false);
  }
  expect((await rooted.call({ command: 'view', path: '/etc/passwd' })).is_error).toBe(true);
  expect((await free.call({ command: 'view', path: '/etc/passwd' })).is_error).toBe(false);
});

test('a root that is not absolute is rejected', () => {
  expect(() => fileEditor({ roots: ['here'] })).toThrow('The root here is not an absolute path.');
});

test('a line feed in the name of an entry makes no further line', async () => {
  await using editor = await open();
  const { workspace } = editor;
  await mkdir(join(workspace, 'a\n', 'real.ts'), { recursive: true });
  await write(editor, 'a\n/in\nside', 'x');
  await write(editor, '\nb', 'x');
  const [, ...lines] = (await view(editor, '.')).split('\n');
  const entries = ['/', '/\\nb', '/a\\n/', '/a\\n/in\\nside', '/a\\n/real.ts/'];
  expect(lines).toEqual(entries.map((name) => workspace + name));
});

test('an abort ends the listing of a directory', async () => {
  await using editor = await open();
  await Promise.all(['a', 'b', 'c'].map((name) => mkdir(join(editor.workspace, name))));
  const target = { path: editor.workspace, real: editor.workspace, stats: await stat(editor.workspace) };
  const controller = new AbortController();
  const listing = viewDirectory(target, { maxChars: 1000, roots: undefined, signal: controller.signal });
  controller.abort(new Error('cancelled'));
  await expect(listing).rejects.toThrow('cancelled');
});
