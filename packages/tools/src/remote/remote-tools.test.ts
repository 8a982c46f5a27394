import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import { redactor } from '@varve/text';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ToolContext } from '../contract/tool.ts';
import { localWorkspace } from '../workspace/local-workspace.ts';
import { remoteFileEditor, remoteTerminal } from './remote-tools.ts';

/** Tools on a directory, which another workspace than that of the conversation reads. */
async function openedTools() {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'varve-remote-')));
  const options = {
    workspace: localWorkspace(directory),
    redactor: redactor(['secret-value'], { replacement: '<hidden>' }),
  };
  const [terminal, editor] = [remoteTerminal(options), remoteFileEditor(options)];
  const { signal } = new AbortController();
  const context = { workspace: '/not/here', signal, idempotencyKey: 'k' };
  const shown = async (result: ReturnType<typeof terminal.execute>) => {
    const { is_error: isError, content, ...fields } = await result;
    return { ...fields, isError, text: textOf(content) };
  };
  return {
    directory,
    run: (input: object, more: Partial<ToolContext> = {}) =>
      shown(terminal.execute(terminal.parse(input), { ...context, ...more })),
    edit: (input: object) => shown(editor.execute(editor.parse(input), context)),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

test('the directory of a command persists until a reset, and secrets are masked', async () => {
  await using tools = await openedTools();
  await tools.run({ command: "mkdir 'a b'; cd 'a b'" });
  expect(await tools.run({ command: 'pwd; echo secret-value; false' })).toMatchObject({
    text: `${tools.directory}/a b\n<hidden>\n`,
    exit_code: 1,
    metadata: { working_dir: `${tools.directory}/a b` },
  });
  expect(await tools.run({ command: 'pwd', reset: true })).toMatchObject({ text: `${tools.directory}\n` });
});

test('a command that takes input, or was not approved to start in its directory, does not run', async () => {
  await using tools = await openedTools();
  for (const input of [{ command: 'C-c', is_input: true }, { command: '' }])
    expect(await tools.run(input)).toMatchObject({ isError: true });
  const command = 'touch made';
  expect(await tools.run({ command }, { startDirectories: ['/other'] })).toMatchObject({ isError: true });
  await expect(stat(join(tools.directory, 'made'))).rejects.toThrow('ENOENT');
  expect(await tools.run({ command }, { startDirectories: ['/not/here'] })).toMatchObject({ isError: false });
  expect(await tools.run({ command: 'pwd' }, { shellDirectory: '/' })).toMatchObject({ exit_code: 0 });
});

test('a command is ended at its timeout', async () => {
  await using tools = await openedTools();
  expect(await tools.run({ command: 'sleep 60', timeout: 0.1 })).toMatchObject({ timeout: true, exit_code: -1 });
});

test('a view of a file or a directory masks secrets', async () => {
  await using tools = await openedTools();
  const path = join(tools.directory, 'deep/file.txt');
  await tools.edit({ command: 'create', path, file_text: 'one\nsecret-value\n' });
  expect(await tools.edit({ command: 'view', path })).toMatchObject({ text: expect.stringContaining('2\t<hidden>') });
  expect(await tools.edit({ command: 'view', path: tools.directory })).toMatchObject({
    text: expect.stringContaining('deep/'),
  });
});

test('a creation whose file cannot be removed is not undone', async () => {
  await using tools = await openedTools();
  const path = join(tools.directory, 'file');
  await tools.edit({ command: 'create', path, file_text: 'x' });
  vi.stubEnv('PATH', '/nowhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await tools.edit({ command: 'undo_edit', path })).toMatchObject({ isError: true });
  vi.unstubAllEnvs();
  expect(await tools.edit({ command: 'undo_edit', path })).toMatchObject({ isError: false });
});

test('an edit of a missing file, and of one outside of the workspace, is refused', async () => {
  await using tools = await openedTools();
  for (const path of [join(tools.directory, 'missing'), '/etc/hostname'])
    expect(await tools.edit({ command: 'insert', path, insert_line: 0, new_str: 'x' })).toMatchObject({
      isError: true,
    });
});
