import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import { anyCharacter } from '@varve/events/testing';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { openedTool } from '../../src/testing/opened-tool.ts';
import { fileEditor } from '../../src/file-editor/file-editor.ts';
import { decodeText, encodeText } from '../../src/files/text-encoding.ts';

const russian = 'Привет, мир! Это обычный русский текст.\nВторая строка, чтобы было что читать.\nТретья.\n';
const chinese = '你好，世界！这是一个普通的中文文本文件。\n第二行也有一些文字，这样才能猜出编码。\n';

test.for([
  ['windows-1251', russian, 'Вторая', 'Другая'],
  ['koi8-r', russian, 'Вторая', 'Другая'],
  ['gb18030', chinese, '第二行', '第三行'],
  ['iso-8859-1', 'Ein ganz gewöhnlicher Text über Äpfel, süß und schön.\nEnde.\n', 'Äpfel', 'Käse'],
  ['utf-16le', 'Plain text in two bytes.\nSecond line.\n', 'Second', 'Other'],
  ['utf-16be', 'Plain text in two bytes.\nSecond line.\n', 'Second', 'Other'],
  ['utf-16le', '\uFEFFПривет\nмир\n', 'мир', 'всё'],
] as const)('a file in %s is shown, edited and restored in it', async ([encoding, text, old, replacement]) => {
  await using tool = await openedTool(fileEditor());
  const path = join(tool.workspace, 'file');
  const bytes = iconv.encode(text, encoding);
  await writeFile(path, bytes);
  const [, second = ''] = text.split('\n');
  expect(textOf((await tool.call({ command: 'view', path })).content)).toContain(`\t${second}`);
  const part = await tool.call({ command: 'view', path, view_range: [2, 2] });
  expect(textOf(part.content)).toContain(`     2\t${second}`);
  const edited = await tool.call({ command: 'str_replace', path, old_str: old, new_str: replacement });
  expect(textOf(edited.content)).not.toContain('UTF-8');
  expect(await readFile(path)).toEqual(iconv.encode(text.replace(old, replacement), encoding));
  await tool.call({ command: 'insert', path, insert_line: 0, new_str: 'x' });
  await tool.call({ command: 'undo_edit', path });
  const undone = await tool.call({ command: 'undo_edit', path });
  expect(undone['new_content']).toBe(text.replace('\uFEFF', ''));
  expect(await readFile(path)).toEqual(bytes);
});

test('a character that the encoding does not have is refused, and every byte stays', async () => {
  await using tool = await openedTool(fileEditor());
  const path = join(tool.workspace, 'file');
  const bytes = iconv.encode(russian, 'windows-1251');
  await writeFile(path, bytes);
  const edited = await tool.call({ command: 'str_replace', path, old_str: 'Третья', new_str: '第三' });
  expect(edited).toMatchObject({ is_error: true });
  expect(textOf(edited.content)).toContain('was read as windows-1251, a guess');
  expect(await readFile(path)).toEqual(bytes);
});

test('a result names the guessed encoding of characters that were added', async () => {
  await using tool = await openedTool(fileEditor());
  const path = join(tool.workspace, 'file');
  await writeFile(path, iconv.encode(russian, 'windows-1251'));
  const edited = await tool.call({ command: 'str_replace', path, old_str: 'Третья', new_str: 'Новая' });
  expect(textOf(edited.content)).toContain('written as windows-1251, which is guessed');
});

test('a file that is UTF-8 except for one byte is shown and not edited', async () => {
  await using tool = await openedTool(fileEditor());
  const path = join(tool.workspace, 'file');
  const bytes = Buffer.concat([Buffer.from('Größe, Höhe, Länge, Äpfel\n'), Buffer.from([0xe9, 0x0a])]);
  await writeFile(path, bytes);
  expect(await tool.call({ command: 'view', path })).toMatchObject({ is_error: false });
  const edited = await tool.call({ command: 'insert', path, insert_line: 0, new_str: 'Größe →' });
  expect(edited).toMatchObject({ is_error: true });
  expect(await readFile(path)).toEqual(bytes);
});

test('bytes accepted as text are encoded to exactly these bytes again', async () => {
  const unit = anyCharacter<fc.Arbitrary<string>>(fc);
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.string({ unit }).map((text) => Buffer.from(text)),
    fc.string({ unit }).map((text) => Buffer.from(text, 'utf16le')),
    fc.string().map((text) => iconv.encode(text, 'shift_jis')),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (raw) => {
      const decoded = await decodeText(Buffer.from(raw));
      return decoded === undefined || (await encodeText(decoded))?.equals(raw);
    }),
    { numRuns: 10 },
  );
});
