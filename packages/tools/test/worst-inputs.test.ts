import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TextContent } from '@varve/events';
import { expect, test } from 'vitest';
import { applyPatch, fileEditor, glob, grep, planningFileEditor, type Tool } from '../src/index.ts';

/** Calls a tool in a directory with these files. Returns the text of its result. */
async function call<Input>(tool: Tool<Input>, files: Readonly<Record<string, string>>, input: (dir: string) => object) {
  const workspace = await mkdtemp(join(tmpdir(), 'varve-worst-'));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(workspace, name), content);
    const context = { workspace, signal: new AbortController().signal, idempotencyKey: 'key' };
    const { content } = await tool.execute(tool.parse(input(workspace)), context);
    const unchanged = await Promise.all(
      Object.entries(files).map(async ([name, before]) => (await readFile(join(workspace, name), 'utf8')) === before),
    );
    return {
      text: content.map((block) => (block as TextContent).text).join(''),
      isUnchanged: !unchanged.includes(false),
    };
  } finally {
    await tool.close?.();
    await rm(workspace, { recursive: true });
  }
}

const long = '/x'.repeat(100_000);
const lines = 'same\n'.repeat(200_000);
const update = (...chunks: readonly string[]): string =>
  ['*** Begin Patch', '*** Update File: file', ...chunks, '*** End Patch'].join('\n');

// Each of these took seconds to minutes, with the event loop blocked, or ended the call with an exception.
test.for([
  [
    'view',
    fileEditor,
    (dir: string) => ({ command: 'view', path: dir + long }),
    /200\d{3} bytes, and a path has at most 4096/,
  ],
  ['create', fileEditor, (dir: string) => ({ command: 'create', path: dir + long, file_text: '' }), /at most 4096/],
  ['a plan', () => planningFileEditor(), (dir: string) => ({ command: 'view', path: dir + long }), /at most 4096|only/],
  [
    'a path in a patch',
    applyPatch,
    () => ({ patch: `*** Begin Patch\n*** Delete File: ${long.slice(1)}\n*** End Patch` }),
    /at most 4096/,
  ],
  ['a path of a search', grep, () => ({ pattern: 'x', path: long.slice(1) }), /at most 4096/],
  ['a null character', grep, () => ({ pattern: 'a\0b' }), /contains a null character/],
  ['a long expression', grep, () => ({ pattern: 'x'.repeat(200_000) }), /longer than 10000/],
  ['a long filter', grep, () => ({ pattern: 'x', include: '*'.repeat(200_000) }), /longer than 1000/],
  ['a long glob', glob, () => ({ pattern: '*'.repeat(200_000) }), /longer than 1000/],
  ['a glob of many stars', glob, () => ({ pattern: `${'*a'.repeat(40)}b` }), /^No files match/],
  [
    'many files',
    applyPatch,
    () => ({ patch: `*** Begin Patch\n${'*** Add File: a\n+a\n'.repeat(1001)}*** End Patch` }),
    /at most 1000 files/,
  ],
] as const)('$0', async ([, tool, input, answer]) => {
  const { text } = await call(tool() as Tool, { ['a'.repeat(64)]: 'x' }, input);
  expect(text).toMatch(answer);
});

test.for([
  [
    'lines that almost fit a file',
    update('@@', ...Array.from({ length: 5000 }, () => ' same'), '-other'),
    /are not in file/,
  ],
  [
    'lines that fit everywhere',
    update('@@', ...Array.from({ length: 5000 }, () => ' same'), '-same'),
    /several places/,
  ],
  ['anchors that are everywhere', update(...Array.from({ length: 20 }, () => '@@ same'), '+new'), /several places/],
  ['many changes', update(...Array.from({ length: 300 }, () => ['@@', '+same', ' none']).flat()), /are not in file/],
  [
    'many insertions',
    update(...Array.from({ length: 300 }, () => ['@@ same', ' same', '-same']).flat()),
    /several places/,
  ],
] as const)('a patch with $0', async ([, patch, answer]) => {
  const { text, isUnchanged } = await call(applyPatch(), { file: lines }, () => ({ patch }));
  expect(text).toMatch(answer);
  expect(isUnchanged).toBe(true);
});

test('a patch with many changes of a large file is refused', async () => {
  const file = Array.from({ length: 100_000 }, (_, index) => `${index}\n`).join('');
  const patch = update(...Array.from({ length: 1000 }, (_, index) => ['@@', `-${index}`, `+${index}.`]).flat());
  const { text, isUnchanged } = await call(applyPatch(), { file }, () => ({ patch }));
  expect(text).toMatch(/1000 changes of a file with 100000 lines, file, are too many/);
  expect(isUnchanged).toBe(true);
});

test('a text to replace that almost occurs everywhere is not found', async () => {
  const old = `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`;
  const { text } = await call(fileEditor(), { file: 'a'.repeat(1_000_000) }, (dir) => ({
    command: 'str_replace',
    path: join(dir, 'file'),
    old_str: old,
    new_str: 'c',
  }));
  expect(text).toContain('did not appear verbatim');
});
