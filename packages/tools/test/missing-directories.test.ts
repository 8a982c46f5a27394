import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import { describe, expect, test } from 'vitest';
import { fileEditor } from '../src/file-editor/file-editor.ts';
import { planningFileEditor } from '../src/file-editor/planning-file-editor.ts';
import { applyPatch } from '../src/patch/apply-patch.ts';
import { openedTool } from '../src/testing/opened-tool.ts';
import { SavedOutput } from '../src/terminal/output/saved-output.ts';
import { jail } from '../src/workspace/jail.ts';
import { prepareHostPath } from '../src/workspace/host-file.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'varve-'));

// A recursive mkdir of Node never returns there.
const below = '/proc/varve-missing/a/b';
describe.runIf(existsSync('/proc/self'))('below /proc', () => {
  test.for([
    ['file_editor', () => fileEditor({ jail: 'unrestricted' }), { command: 'create', path: below, file_text: 'x' }],
    [
      'a plan',
      () => planningFileEditor({ planPath: below }),
      { command: 'insert', path: below, insert_line: 0, new_str: 'x' },
    ],
    [
      'apply_patch',
      () => applyPatch({ jail: 'unrestricted' }),
      { patch: `*** Begin Patch\n*** Add File: ok/file\n+x\n*** Add File: ${below}\n+x\n*** End Patch` },
    ],
  ] as const)('%s refuses a new file below /proc and changes nothing', async ([, tool, input]) => {
    await using opened = await openedTool(tool());
    const { content, is_error } = await opened.call(input);
    expect(textOf(content)).toContain('ENOENT');
    expect(is_error).toBe(true);
    expect(existsSync(join(opened.workspace, 'ok'))).toBe(false);
  });

  test('a history of edits below /proc does not disturb an edit', async () => {
    await using opened = await openedTool(fileEditor({ historyDir: below }));
    const path = join(opened.workspace, 'file');
    expect(await opened.call({ command: 'create', path, file_text: 'x' })).toMatchObject({ is_error: false });
  });

  test('an output saved below /proc is abandoned', () => {
    expect(new SavedOutput(below, 100).finish()).toBeUndefined();
  });

  test('a workspace refuses to write below /proc', async () => {
    const root = folder();
    await expect(jail('/proc').within('varve-missing/a/b', async () => undefined)).rejects.toThrow('ENOENT');
    await expect(prepareHostPath(below)).rejects.toThrow('ENOENT');
    // The directory may go between the check and the write.
    mkdirSync(join(root, 'gone'));
    const inside = jail(join(root, 'gone'));
    rmSync(join(root, 'gone'), { recursive: true });
    symlinkSync('/proc/varve-missing', join(root, 'gone'));
    await expect(inside.within('a/b', async () => undefined)).rejects.toThrow('ENOENT');
  });
});
