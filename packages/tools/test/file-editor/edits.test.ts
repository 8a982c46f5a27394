import { readFile, readlink, stat, symlink } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { editors } from '../support/machines.ts';
import { openEditor, type Editor } from '../support/open-editor.ts';

describe.for(Object.entries(editors))('on %s', ([, make]) => {
  const open = (): Promise<Editor> => openEditor(make);

  test.for([
    ['text', 'one\ntwo\n'],
    ['no text', ''],
    ['any text', 'ä 😀 \u2028\n'],
  ] as const)('create writes a file with %s', async ([, text]) => {
    await using editor = await open();
    const { isError, observation } = await editor.do('create', 'file', { file_text: text });
    expect(isError).toBe(false);
    expect(observation).toMatchObject({
      prev_exist: false,
      new_content: text,
      path: editor.at('file'),
      command: 'create',
    });
    expect(observation).not.toHaveProperty('old_content');
    expect(await editor.read('file')).toBe(text);
  });

  test('create without file_text is refused', async () => {
    await using editor = await open();
    const { isError, text } = await editor.do('create', 'file');
    expect(isError).toBe(true);
    expect(text).toBe('Parameter `file_text` is required for command: create.');
  });

  test('create over a file is refused', async () => {
    await using editor = await open();
    await editor.write('file', 'old');
    expect((await editor.do('create', 'file', { file_text: 'new' })).isError).toBe(true);
    expect(await editor.read('file')).toBe('old');
  });

  test('create creates parent directories', async () => {
    await using editor = await open();
    await editor.do('create', 'a/b/c.txt', { file_text: 'x' });
    expect(await editor.read('a/b/c.txt')).toBe('x');
  });

  test('str_replace shows the changed lines', async () => {
    await using editor = await open();
    await editor.write('file', Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join(''));
    const { text, observation } = await editor.do('str_replace', 'file', {
      old_str: 'line 10\n',
      new_str: 'ten\nand a half\n',
    });
    expect(text).toContain('     6\tline 6\n');
    expect(text).toContain('    10\tten\n    11\tand a half\n    12\tline 11\n');
    expect(text).not.toContain('line 5\n');
    expect(observation).toMatchObject({ prev_exist: true, path: editor.at('file') });
    expect(observation['new_content']).toBe(await editor.read('file'));
  });

  test.for([
    ['several lines', 'a\nb\nc\n', 'a\nb', 'x', 'x\nc\n'],
    ['tabs', '\tif x:\n\t\ty\n', '\t\ty', '\t\tz', '\tif x:\n\t\tz\n'],
    ['by nothing', 'a\nb\n', 'a\n', '', 'b\n'],
    ['with stray blanks around', 'a\nb\nc\n', '  b  ', '  x  ', 'a\nx\nc\n'],
    ['with spaces instead of the tab of the file', 'f:\n\ta = 1\n', '    a = 1\n', '    a = 2\n', 'f:\n\ta = 2\n'],
    ['a pattern', 'a.c abc', 'a.c', 'x', 'x abc'],
    ['by a replacement pattern', 'price', 'price', "$& $1 $$ $` $'", "$& $1 $$ $` $'"],
    ['nothing in an empty file', '', '', 'x\n', 'x\n'],
    ['by characters outside of ASCII', 'abc', 'b', 'ß😀', 'aß😀c'],
  ] as const)('str_replace: %s', async ([, before, old_str, new_str, after]) => {
    await using editor = await open();
    await editor.write('file', before);
    expect((await editor.do('str_replace', 'file', { old_str, new_str })).isError).toBe(false);
    expect(await editor.read('file')).toBe(after);
  });

  test.for([
    ['other blanks around the new text', '\ta = 1\n', '    a = 1', 'a = 2', /verbatim/],
    ['lines that would be indented differently', '\ta = 1\n', '    a = 1', '    a = 2\n    b = 1', /verbatim/],
    ['the end of a word', 'suba = 1\n', '  a = 1', '  a = 2', /verbatim/],
    ['line ends only', 'a\r\nb\r\n', 'a\r\nb', 'a\nb', /line ends are kept/],
    ['a no-break space', 'x\n5\u00A0EUR\n', '5 EUR', '6 EUR', /line 2 has U\+00A0 where `old_str` has U\+0020/],
    ['a curly quote', 'it\u2019s\n', "it's", 'is', /line 1 has U\+2019 where `old_str` has U\+0027/],
    ['a decomposed letter', 'cafe\u0301\n', 'caf\u00E9', 'bar', /has U\+0065 U\+0301 where `old_str` has U\+00E9/],
  ] as const)(
    'str_replace refuses a difference and keeps the file: %s',
    async ([, before, old_str, new_str, reason]) => {
      await using editor = await open();
      await editor.write('file', before);
      const { isError, text } = await editor.do('str_replace', 'file', { old_str, new_str });
      expect(isError).toBe(true);
      expect(text).toMatch(reason);
      expect(await editor.read('file')).toBe(before);
    },
  );

  test.for([
    ['identical texts', { old_str: 'a', new_str: 'a' }, /new_str/],
    ['nothing by nothing', { old_str: '' }, /new_str/],
    ['absent text', { old_str: 'zzz', new_str: 'x' }, /did not appear verbatim/],
    ['a text in several places', { old_str: 'same', new_str: 'x' }, /lines \[2, 4\]/],
    ['lines in several places', { old_str: 'same\n', new_str: 'x' }, /lines \[2, 4\]/],
    ['overlapping places', { old_str: 'abab', new_str: 'x' }, /lines \[5\]/],
    ['nothing', { old_str: '', new_str: 'x' }, /old_str/],
    ['a missing old_str', { new_str: 'x' }, /`old_str` is required/],
  ] as const)('str_replace refuses %s', async ([, fields, reason]) => {
    await using editor = await open();
    const before = 'a\nsame same\nb\nsame\nababab\n';
    await editor.write('file', before);
    const { isError, text } = await editor.do('str_replace', 'file', fields);
    expect(isError).toBe(true);
    expect(text).toMatch(reason);
    expect(await editor.read('file')).toBe(before);
  });

  test.for([
    ['at the top', 'a\nb\n', 0, 'x', 'x\na\nb\n'],
    ['in the middle', 'a\nb\n', 1, 'x', 'a\nx\nb\n'],
    ['at the end', 'a\nb\n', 2, 'x', 'a\nb\nx\n'],
    ['nothing, which is an empty line', 'a\nb\n', 1, '', 'a\n\nb\n'],
    ['whole lines', 'a\nb\n', 1, 'x\ny\n', 'a\nx\ny\nb\n'],
    ['at the end of a file without a final line end', 'a\nb', 2, 'c', 'a\nb\nc'],
    ['before the end of such a file', 'a\nb', 1, 'x', 'a\nx\nb'],
    ['into an empty file', '', 0, 'x', 'x\n'],
    ['into a file with CRLF', 'a\r\nb\r\n', 1, 'x\ny', 'a\r\nx\r\ny\r\nb\r\n'],
  ] as const)('insert: %s', async ([, before, insert_line, new_str, after]) => {
    await using editor = await open();
    await editor.write('file', before);
    const { isError, observation } = await editor.do('insert', 'file', { insert_line, new_str });
    expect(isError).toBe(false);
    expect(observation).toMatchObject({ old_content: before, new_content: after });
    expect(await editor.read('file')).toBe(after);
  });

  test.for([-1, 3])('insert after line %i of two is refused with the range', async (insert_line) => {
    await using editor = await open();
    await editor.write('file', 'a\nb\n');
    const { isError, text } = await editor.do('insert', 'file', { insert_line, new_str: 'x' });
    expect(isError).toBe(true);
    expect(text).toContain('[0, 2]');
  });

  test.for([
    ['insert_line', { new_str: 'x' }],
    ['new_str', { insert_line: 0 }],
  ] as const)('insert without %s is refused', async ([name, fields]) => {
    await using editor = await open();
    await editor.write('file', 'a\n');
    expect((await editor.do('insert', 'file', fields)).text).toBe(
      `Parameter \`${name}\` is required for command: insert.`,
    );
  });

  test('edits are undone one by one until the history is empty', async () => {
    await using editor = await open();
    await editor.write('file', 'a\n');
    await editor.do('str_replace', 'file', { old_str: 'a', new_str: 'b' });
    await editor.do('insert', 'file', { insert_line: 1, new_str: 'c' });
    const { text, observation } = await editor.do('undo_edit', 'file');
    expect(text).toContain('     1\tb');
    expect(observation).toMatchObject({ old_content: 'b\nc\n', new_content: 'b\n' });
    await editor.do('undo_edit', 'file');
    expect(await editor.read('file')).toBe('a\n');
    expect((await editor.do('undo_edit', 'file')).text).toContain('no edit history');
  });

  test('undo of create removes the file', async () => {
    await using editor = await open();
    await editor.do('create', 'file', { file_text: 'x' });
    expect((await editor.do('undo_edit', 'file')).isError).toBe(false);
    await expect(stat(editor.at('file'))).rejects.toThrow('ENOENT');
  });

  test('of eleven edits ten can be undone', async () => {
    await using editor = await open();
    await editor.write('file', 'n0');
    for (let edit = 0; edit < 11; edit += 1)
      await editor.do('str_replace', 'file', { old_str: `n${edit}`, new_str: `n${edit + 1}` });
    for (let undo = 0; undo < 10; undo += 1) expect((await editor.do('undo_edit', 'file')).isError).toBe(false);
    expect((await editor.do('undo_edit', 'file')).isError).toBe(true);
    expect(await editor.read('file')).toBe('n1');
  });

  test('undo is refused if another program has changed the file', async () => {
    await using editor = await open();
    await editor.write('file', 'a');
    await editor.do('str_replace', 'file', { old_str: 'a', new_str: 'b' });
    await editor.write('file', 'mine');
    expect((await editor.do('undo_edit', 'file')).text).toContain('changed by something else');
    expect(await editor.read('file')).toBe('mine');
  });

  test('an edit uses the current content of the file', async () => {
    await using editor = await open();
    await editor.write('file', 'a\nb\n');
    await editor.do('view', 'file');
    await editor.write('file', 'changed\nb\n');
    await editor.do('str_replace', 'file', { old_str: 'b', new_str: 'c' });
    expect(await editor.read('file')).toBe('changed\nc\n');
  });

  test.for([
    ['CRLF is kept and matched by LF', 'a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz', 'x\r\ny\r\nz\r\nc\r\n'],
    ['CRLF in the arguments means a line end', 'a\r\nb\r\n', 'a\r\nb', 'x\r\ny', 'x\r\ny\r\n'],
    ['mixed line ends outside of the edit stay', 'a\r\nb\nc\r\nd\r\n', 'b', 'x\ny', 'a\r\nx\r\ny\nc\r\nd\r\n'],
    ['the byte order mark is kept', '\uFEFFa\nb', 'a', 'x', '\uFEFFx\nb'],
  ] as const)('%s', async ([, before, old_str, new_str, after]) => {
    await using editor = await open();
    await editor.write('file', before);
    expect((await editor.do('str_replace', 'file', { old_str, new_str })).isError).toBe(false);
    expect(await editor.read('file')).toBe(after);
  });

  test('the byte order mark is not shown and survives an undo', async () => {
    await using editor = await open();
    await editor.write('file', '\uFEFFa\n');
    expect((await editor.do('view', 'file')).text).toContain('     1\ta');
    await editor.do('str_replace', 'file', { old_str: 'a', new_str: 'b' });
    await editor.do('undo_edit', 'file');
    expect(await editor.read('file')).toBe('\uFEFFa\n');
  });

  test('an edit through a link changes its target and keeps the link', async () => {
    await using editor = await open();
    await editor.write('target', 'a');
    await symlink('target', editor.at('link'));
    await editor.do('str_replace', 'link', { old_str: 'a', new_str: 'b' });
    expect(await readlink(editor.at('link'))).toBe('target');
    expect(await editor.read('target')).toBe('b');
  });

  test('refusals stay short for long texts and for many occurrences', async () => {
    await using editor = await open();
    await editor.write('file', 'same\n'.repeat(50_000));
    const often = await editor.do('str_replace', 'file', { old_str: 'same', new_str: 'x' });
    expect(often.text).toMatch(/lines \[1, 2, 3, .*, 100 and more\]/);
    const long = 'x'.repeat(100_000);
    const equal = await editor.do('str_replace', 'file', { old_str: long, new_str: long });
    expect(equal.text).toMatch(/^Invalid `new_str` parameter: it is the same/);
    expect(equal.text.length).toBeLessThan(6000);
  });

  test('concurrent edits are all made', async () => {
    await using editor = await open();
    await editor.write('file', '0\n');
    await Promise.all(
      [1, 2, 3, 4, 5].map((line) => editor.do('insert', 'file', { insert_line: 0, new_str: String(line) })),
    );
    expect((await editor.read('file')).split('\n').toSorted()).toEqual(['', '0', '1', '2', '3', '4', '5']);
  });

  test('contents of large files are not in the observation', async () => {
    await using editor = await open();
    await editor.write('file', `start\n${'x'.repeat(99)}\n`.repeat(50_000).replace('start', 'first'));
    const { observation, isError } = await editor.do('str_replace', 'file', { old_str: 'first', new_str: 'second' });
    expect(isError).toBe(false);
    expect(observation).not.toHaveProperty('old_content');
    expect(JSON.stringify(observation).length).toBeLessThan(5000);
  });

  test.for([
    ['null characters', Buffer.from('a\0b')],
    ['two bytes that could be a character', Buffer.from([0, 1])],
    ['control characters', Buffer.from([0x61, 0x01, 0xe4, 0x62])],
    ['a binary PDF', Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.from([0xe2, 0xe3, 0xcf, 0xd3])])],
  ] as const)('%s cannot be shown or edited', async ([, bytes]) => {
    await using editor = await open();
    await editor.write('file', bytes);
    expect((await editor.do('view', 'file')).text).toContain('binary');
    expect((await editor.do('str_replace', 'file', { old_str: 'a', new_str: 'b' })).isError).toBe(true);
    expect(await readFile(editor.at('file'))).toEqual(bytes);
  });
});
