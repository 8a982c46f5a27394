import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';

/** Program of a user of the installed tools: state kept in a terminal, a file, and a search for it. */
const program = `
import { applyPatch, fileEditor, glob, grep, terminal } from '@varve/tools';

const workspace = process.argv[2];
const text = ({ content, is_error: isError }) => (isError ? 'FAILED ' : '') + content.map((block) => block.text).join('');
async function use(tool, ...inputs) {
  const context = { workspace, signal: new AbortController().signal, idempotencyKey: 'verify' };
  let last;
  for (const input of inputs) last = await tool.execute(tool.parse(input), context);
  await tool.close?.();
  return text(last);
}
const path = workspace + '/file';
console.log(JSON.stringify({
  pty: await use(terminal({ pty: true }), { command: 'cd /; A=kept' }, { command: 'test -t 0 && echo "$A $PWD"' }),
  pipe: await use(terminal({ pty: false }), { command: 'A=kept' }, { command: 'echo "$A"' }),
  editor: await use(fileEditor(), { command: 'create', path, file_text: 'one\\n' }, { command: 'str_replace', path, old_str: 'one', new_str: 'two' }),
  patch: await use(applyPatch(), { patch: '*** Begin Patch\\n*** Update File: file\\n-two\\n+three\\n*** End Patch' }),
  grep: await use(grep(), { pattern: 'THREE' }),
  glob: await use(glob(), { pattern: 'fi*' }),
}));
`;

/**
 * Uses the installed terminal, editors and search. The search path contains system programs only, so ripgrep and the
 * library for pseudo terminals must be part of the packages.
 *
 * @throws {Error} when one of them does not work.
 */
export async function useTools(node: string, project: string): Promise<void> {
  const workspace = join(project, 'workspace');
  await mkdir(workspace);
  await writeFile(join(project, 'use-tools.mjs'), program);
  try {
    const path = 'PATH=/usr/bin:/bin';
    const printed = await run('env', [path, node, '--no-warnings', 'use-tools.mjs', workspace], project);
    const { pty, pipe, editor, patch, grep, glob } = JSON.parse(printed) as Record<string, string>;
    assert.equal(pty, 'kept /');
    assert.equal(pipe, 'kept');
    assert.match(editor ?? '', /was edited[^]*two/);
    assert.doesNotMatch(patch ?? '', /FAILED/);
    assert.match(grep ?? '', /file:1: three/);
    assert.match(glob ?? '', /file/);
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
}
