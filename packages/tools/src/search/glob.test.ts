import { symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import type { Observation } from '@varve/events/payloads';
import { describe, expect, test } from 'vitest';
import { openedTool, type OpenedTool } from '../testing/opened-tool.ts';
import { searchedMachines } from '../../test/support/machines.ts';
import { writeFiles } from '../../test/support/write-files.ts';
import type { SearchOptions } from './file-search.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';

const textIn = (observation: Observation): string => textOf(observation.content);
const names = ({ workspace }: OpenedTool, { files }: Observation): unknown =>
  Array.isArray(files) && files.map((path) => String(path).slice(workspace.length + 1));

describe.for(Object.entries(searchedMachines))('on %s', ([where, machine]) => {
  async function opened(files: readonly string[], options: SearchOptions = {}): Promise<OpenedTool> {
    const tool = await openedTool(async (workspace) => glob({ ...(await machine(workspace)), ...options }));
    await writeFiles(tool.workspace, Object.fromEntries(files.map((name) => [name, ''])));
    return tool;
  }

  test('absolute paths are listed newest first', async () => {
    await using tool = await opened(['a.ts', 'src/b.ts', 'c.md']);
    const observation = await tool.call({ pattern: '*.ts' });
    expect(observation).toMatchObject({ pattern: '*.ts', search_path: tool.workspace, truncated: false });
    expect(names(tool, observation)).toEqual(['src/b.ts', 'a.ts']);
    expect(textIn(observation)).toBe(
      `2 files match *.ts in ${tool.workspace}:\n${join(tool.workspace, 'src/b.ts')}\n${join(tool.workspace, 'a.ts')}`,
    );
  });

  test.for([
    ['', ['src/deep/c.ts', 'src/b.ts', 'a.ts']],
    ['**', ['src/deep/c.ts', 'src/b.ts', 'a.ts']],
    ['src/*.ts', ['src/b.ts']],
    ['src/**/*.ts', ['src/deep/c.ts', 'src/b.ts']],
    ['**/deep/*', ['src/deep/c.ts']],
    ['[bc].ts', ['src/deep/c.ts', 'src/b.ts']],
    ['none', []],
  ] as const)('%j matches', async ([pattern, expected]) => {
    await using tool = await opened(['a.ts', 'src/b.ts', 'src/deep/c.ts']);
    expect(names(tool, await tool.call({ pattern }))).toEqual(expected);
  });

  test('the result does not depend on the directory of this process', async () => {
    await using tool = await opened(['packages/tools/src/index.ts']);
    expect(names(tool, await tool.call({ pattern: 'tools/src/*.ts', path: 'packages' }))).toEqual([
      'packages/tools/src/index.ts',
    ]);
  });

  test('an absolute pattern is split before its first wildcard', async () => {
    await using tool = await opened(['src/b.ts', 'src/deep/c.ts']);
    const observation = await tool.call({ pattern: `${tool.workspace}/src/**/*.ts` });
    expect(names(tool, observation)).toEqual(['src/deep/c.ts', 'src/b.ts']);
    expect(observation).toMatchObject({ search_path: join(tool.workspace, 'src') });
  });

  test('a pattern in the home directory is subject to the jail', async () => {
    await using tool = await opened([]);
    const observation = await tool.call({ pattern: '~/*.ts' });
    expect(observation).toMatchObject({ is_error: true, files: [] });
    expect(textIn(observation)).toContain(homedir());
  });

  test('ignored, hidden and linked files are omitted', async () => {
    await using tool = await opened(['a.ts', 'out/b.ts', '.hidden/c.ts', '.git/d.ts']);
    await writeFiles(tool.workspace, { '.gitignore': 'out\n' });
    await symlink(join(tool.workspace, 'a.ts'), join(tool.workspace, 'link.ts'));
    expect(names(tool, await tool.call({ pattern: '**/*.ts' }))).toEqual(['a.ts']);
    expect(names(tool, await tool.call({ pattern: '.hidden/*.ts' }))).toEqual(['.hidden/c.ts']);
    expect(names(tool, await tool.call({ pattern: '.gitignore' }))).toEqual(['.gitignore']);
  });

  test('truncated is set if files are missing', async () => {
    await using tool = await opened(['a', 'b', 'c'], { maxFiles: 3 });
    expect(await tool.call({ pattern: '*' })).toMatchObject({ truncated: false });
    await using small = await opened(['a', 'b', 'c'], { maxFiles: 2 });
    const observation = await small.call({ pattern: '*' });
    expect(names(small, observation)).toEqual(['c', 'b']);
    expect(observation).toMatchObject({ truncated: true });
    expect(textIn(observation)).toContain('3 files match');
  });

  test('a file is not a directory to search', async () => {
    await using tool = await opened(['a']);
    expect(await tool.call({ pattern: '*', path: 'a' })).toMatchObject({ is_error: true });
  });

  /** Names with a byte that UTF-8 never has, or with the start of a character alone, at each place of a name. */
  const brokenNames = [0x80, 0xc3, 0xe2, 0xed, 0xff].flatMap((byte) =>
    ['a.ts', 'ä.ts', '\uFFFD.ts'].flatMap((name) =>
      [0, 1, name.length].map((at) =>
        Buffer.concat([Buffer.from(name.slice(0, at)), Buffer.from([byte]), Buffer.from(name.slice(at))]),
      ),
    ),
  );

  test.for([
    ['glob', glob, ''],
    ['grep', grep, 'ts'],
  ] as const)('%s counts the files whose names are not UTF-8', async ([, searching, pattern]) => {
    await using tool = await openedTool(async (workspace) => searching(await machine(workspace)));
    const broken = new Map(brokenNames.map((name) => [name.toString('latin1'), name]));
    for (const name of broken.values())
      await writeFile(Buffer.concat([Buffer.from(`${tool.workspace}/`), name]), 'ts\n');
    const none = await tool.call({ pattern });
    expect(none).toMatchObject({ truncated: true });
    expect(textIn(none)).toContain(
      ` (${broken.size} more files match, but their names are not UTF-8: use the terminal).`,
    );
    if (where !== 'this machine') return;
    // Elsewhere, names are text before they are compared.
    await writeFile(join(tool.workspace, '\uFFFD'), 'ts\n');
    const observation = await tool.call({ pattern });
    expect(observation).toMatchObject({ truncated: true });
    expect(textIn(observation)).toContain('1 file');
    expect(textIn(observation)).toContain(` (${broken.size} more files match`);
  });
});
