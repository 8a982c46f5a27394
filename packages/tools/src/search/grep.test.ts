import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import type { Observation } from '@varve/events/payloads';
import { describe, expect, test } from 'vitest';
import { openedTool, type OpenedTool } from '../testing/opened-tool.ts';
import { searchedMachines } from '../../test/support/machines.ts';
import { writeFiles } from '../../test/support/write-files.ts';
import type { SearchOptions } from './file-search.ts';
import { grep } from './grep.ts';

const textIn = (observation: Observation): string => textOf(observation.content);
/** Returns the names of the found files, relative to the workspace. */
const names = ({ workspace }: OpenedTool, { matches }: Observation): unknown =>
  Array.isArray(matches) && matches.map((path) => String(path).slice(workspace.length + 1));

describe.for(Object.entries(searchedMachines))('on %s', ([, machine]) => {
  async function opened(
    files: Readonly<Record<string, string | Buffer>>,
    options: SearchOptions = {},
  ): Promise<OpenedTool> {
    const tool = await openedTool(async (workspace) => grep({ ...(await machine(workspace)), ...options }));
    await writeFiles(tool.workspace, files);
    return tool;
  }

  test('files with a match are listed newest first, with their lines', async () => {
    await using tool = await opened({ 'a.txt': 'one\nneedle\n', 'b/c.txt': 'needle\nNEEDLE\n', 'd.txt': 'hay\n' });
    const observation = await tool.call({ pattern: 'needle' });
    expect(observation).toMatchObject({
      is_error: false,
      pattern: 'needle',
      search_path: tool.workspace,
      truncated: false,
    });
    expect(names(tool, observation)).toEqual(['b/c.txt', 'a.txt']);
    expect(textIn(observation)).toBe(
      `2 files have lines that match needle in ${tool.workspace}:\nb/c.txt:1: needle\nb/c.txt:2: NEEDLE\na.txt:2: needle`,
    );
  });

  test('a search without a match is not an error', async () => {
    await using tool = await opened({ 'a.txt': 'one\n' });
    const observation = await tool.call({ pattern: 'needle' });
    expect(observation).toMatchObject({ is_error: false, matches: [], truncated: false });
    expect(textIn(observation)).toContain('No file has a line that matches needle');
  });

  test('case matters if the pattern requires it', async () => {
    await using tool = await opened({ 'a.txt': 'Needle\n', 'b.txt': 'needle\n' });
    expect(names(tool, await tool.call({ pattern: '(?-i)Needle' }))).toEqual(['a.txt']);
  });

  test.for([
    ['*.ts', ['src/b.ts', 'a.ts']],
    ['src/*.ts', ['src/b.ts']],
    ['src/**', ['src/deep/d.js', 'src/b.ts']],
    ['./src/**/*.js', ['src/deep/d.js']],
    ['*.{ts,js}', ['src/deep/d.js', 'src/b.ts', 'a.ts']],
    ['src/', ['src/deep/d.js', 'src/b.ts']],
  ] as const)('include %s is a glob relative to the search', async ([include, expected]) => {
    await using tool = await opened({ 'a.ts': 'x', 'src/b.ts': 'x', 'c.md': 'x', 'src/deep/d.js': 'x' });
    const observation = await tool.call({ pattern: 'x', include });
    expect(names(tool, observation)).toEqual(expected);
    expect(observation).toMatchObject({ include_pattern: include });
  });

  test('ignore rules apply outside of a repository, and to files that include names', async () => {
    await using tool = await opened({ '.gitignore': '*.log\n/out/\n', 'a.log': 'x', 'out/b.txt': 'x', 'c.txt': 'x' });
    expect(names(tool, await tool.call({ pattern: 'x' }))).toEqual(['c.txt']);
    expect(names(tool, await tool.call({ pattern: 'x', include: '*.log' }))).toEqual([]);
  });

  test('hidden files are found if include names them, files in .git never', async () => {
    await using tool = await opened({ '.env': 'x', '.github/w.yml': 'x', '.git/config': 'x', 'a.txt': 'x' });
    expect(names(tool, await tool.call({ pattern: 'x' }))).toEqual(['a.txt']);
    expect(names(tool, await tool.call({ pattern: 'x', include: '.*' }))).toEqual(['.env']);
    expect(names(tool, await tool.call({ pattern: 'x', include: '.github/**' }))).toEqual(['.github/w.yml']);
    expect(names(tool, await tool.call({ pattern: 'x', include: '.git/**' }))).toEqual([]);
  });

  test('binary files are omitted', async () => {
    await using tool = await opened({ 'a.bin': Buffer.from('x\0x\n'), 'b.txt': 'x' });
    expect(names(tool, await tool.call({ pattern: 'x' }))).toEqual(['b.txt']);
  });

  test('a path can be a directory or a file, relative or absolute', async () => {
    await using tool = await opened({ 'a.txt': 'x', 'sub/b.txt': 'x' });
    expect(names(tool, await tool.call({ pattern: 'x', path: 'sub' }))).toEqual(['sub/b.txt']);
    const file = join(tool.workspace, 'a.txt');
    const observation = await tool.call({ pattern: 'x', path: file });
    expect(observation).toMatchObject({ matches: [file], search_path: file });
    expect(textIn(observation)).toContain('\na.txt:1: x');
  });

  test.for([
    [{ pattern: '(' }, 'unclosed group'],
    [{ pattern: '' }, 'empty'],
    [{ pattern: 'x', path: 'missing' }, 'Nothing exists'],
    [{ pattern: 'x', path: '/' }, 'outside'],
    [{ pattern: 'x', path: '..' }, 'outside'],
    [{ pattern: 'x', path: 'link' }, 'outside'],
    [{ pattern: 'x', path: 'a\0b' }, 'null character'],
  ] as const)('%j is an error the model can answer', async ([input, reason]) => {
    await using tool = await opened({ 'a.txt': 'x' });
    await symlink('/', join(tool.workspace, 'link'));
    const observation = await tool.call(input);
    expect(observation).toMatchObject({ is_error: true, matches: [] });
    expect(textIn(observation)).toContain(reason);
  });

  test('links to files outside of the workspace are not followed', async () => {
    await using tool = await opened({ 'a.txt': 'root:' });
    await symlink('/etc/passwd', join(tool.workspace, 'link.txt'));
    expect(names(tool, await tool.call({ pattern: 'root:' }))).toEqual(['a.txt']);
  });

  test('further roots may be searched', async () => {
    await using other = await opened({ 'a.txt': 'x' });
    await using tool = await opened({}, { roots: [other.workspace] });
    expect(await tool.call({ pattern: 'x', path: other.workspace })).toMatchObject({
      matches: [join(other.workspace, 'a.txt')],
    });
  });

  test('above the limit the newest files are shown, and only then truncated is set', async () => {
    const files = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`f${index}.txt`, 'x']));
    await using tool = await opened(files, { maxFiles: 7 });
    expect(await tool.call({ pattern: 'x' })).toMatchObject({ truncated: false });
    await using small = await opened(files, { maxFiles: 3 });
    const observation = await small.call({ pattern: 'x' });
    expect(observation).toMatchObject({ truncated: true });
    expect(names(small, observation)).toEqual(['f6.txt', 'f5.txt', 'f4.txt']);
    expect(textIn(observation)).toContain('7 files have lines that match x');
  });

  test('a result is limited to whole lines, and long lines are truncated', async () => {
    await using tool = await opened(
      { 'a.txt': `x${'y'.repeat(5000)}\n`.repeat(40), 'b.txt': `x ${'ä'.repeat(100_000)} x\n` },
      { maxChars: 5000 },
    );
    const text = textIn(await tool.call({ pattern: 'x' }));
    expect(text.length).toBeLessThanOrEqual(5000);
    expect(text).toMatch(/\nb\.txt:1: x ä{498}\[…\]\na\.txt:1: xy{499}\[…\]\n/);
    expect(text).toMatch(/\n\[\d+ more lines left out\.\]$/);
  });

  test('names with blanks, line feeds and dashes are returned unchanged', async () => {
    await using tool = await opened({ '-a b.txt': 'x', 'new\nline.txt': 'x' });
    const observation = await tool.call({ pattern: 'x' });
    expect(names(tool, observation)).toEqual(['new\nline.txt', '-a b.txt']);
    expect(textIn(observation)).toContain('\n-a b.txt:1: x');
  });

  test('files with long paths are found, and the lines that fit are shown', async () => {
    await using tool = await opened({});
    // Together they are longer than an argument of a program can be.
    const long = `${'d'.repeat(250)}/`.repeat(14);
    await writeFiles(tool.workspace, Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${long}${at}`, 'x'])));
    const observation = await tool.call({ pattern: 'x' });
    expect(names(tool, observation)).toHaveLength(50);
    expect(textIn(observation)).toContain(`${long}49:1: x\n${long}48:1: x\n`);
  });

  test('a pattern that looks like an option is treated as a pattern', async () => {
    await using tool = await opened({ 'a.txt': '--pre=touch\n' });
    expect(names(tool, await tool.call({ pattern: '--pre=touch' }))).toEqual(['a.txt']);
  });

  test('a call cancelled during the search is aborted', async () => {
    await using tool = await opened({});
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`d${index}/f.txt`, 'x\n'.repeat(100)]));
    await mkdir(join(tool.workspace, 'more'));
    await writeFiles(tool.workspace, many);
    const controller = new AbortController();
    const call = tool.call({ pattern: 'x' }, { signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
  });

  test('a search that times out returns its partial results', async () => {
    await using tool = await opened({ 'a.txt': 'x', rg: '#!/bin/sh\nexec sleep 600\n' });
    const ripgrep = join(tool.workspace, 'rg');
    await chmod(ripgrep, 0o755);
    await using slow = await opened({}, { ripgrep, timeoutMs: 1 });
    expect(await slow.call({ pattern: 'x' })).toMatchObject({ is_error: false, truncated: true });
  });

  test.for(['relative/root'])('a root that is not absolute is unusable: %s', (root) => {
    expect(() => grep({ roots: [root] })).toThrow('not an absolute path');
  });

  test('without ripgrep the tool is unusable', async () => {
    await using tool = await opened({}, { ripgrep: '/no/such/rg' });
    const call = tool.call({ pattern: 'x' });
    await expect(call).rejects.toMatchObject({ code: 'unusable', message: expect.stringContaining('/no/such/rg') });
  });

  /** Names with line feeds, some of which look like the record or the name of another file. */
  const namesWithLineFeeds = ['a', 'e.', 'real.ts', 'real.ts:1: x'].flatMap((name) =>
    ['b', './real.ts', '/real.ts'].flatMap((other) => [
      `${name}\n${other}`,
      `d/${name}\n\n${other}`,
      `\n${name}\n${other}`,
    ]),
  );

  test('lines of files with line feeds in their names are shown as theirs', async () => {
    const files = new Map(namesWithLineFeeds.map((name, at) => [join(name), `needle ${at}\n`]));
    await using tool = await opened({ 'real.ts': 'needle of real.ts\n', ...Object.fromEntries(files) });
    const observation = await tool.call({ pattern: 'needle' });
    const [, ...lines] = textIn(observation).split('\n');
    const expected = [...files].map(([name, line]) => `${name}:1: ${line.trim()}`.replaceAll('\n', String.raw`\n`));
    expect(lines.toSorted()).toEqual([...expected, 'real.ts:1: needle of real.ts'].toSorted());
  });
});
