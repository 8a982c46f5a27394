import { readdirSync } from 'node:fs';
import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { applyPatch, fileEditor, planningFileEditor, type Tool } from '../src/index.ts';
import { writeFiles } from './support/write-files.ts';

const large = 'new line\n'.repeat(100_000);
const added = `+${large.trimEnd().replaceAll('\n', '\n+')}`;
const patchOf = (...sections: readonly string[]) => ({
  patch: ['*** Begin Patch', ...sections, '*** End Patch'].join('\n'),
});
const edit = (command: string, name: string, fields: object) => (dir: string) => ({
  command,
  path: join(dir, name),
  ...fields,
});

/** Calls that change files, after calls that are not cancelled. */
const calls: readonly (readonly [string, () => Tool, readonly ((dir: string) => object)[]])[] = [
  ['create', fileEditor, [edit('create', 'new/file', { file_text: large })]],
  ['str_replace', fileEditor, [edit('str_replace', 'file', { old_str: 'old', new_str: large })]],
  ['insert', fileEditor, [edit('insert', 'file', { insert_line: 0, new_str: large })]],
  [
    'the undo of an edit',
    fileEditor,
    [
      edit('create', 'created', { file_text: large }),
      edit('str_replace', 'created', { old_str: large, new_str: '' }),
      edit('undo_edit', 'created', {}),
    ],
  ],
  ['an edit of a plan', planningFileEditor, [edit('insert', 'PLAN.md', { insert_line: 0, new_str: large })]],
  ['a patch that adds files', applyPatch, [() => patchOf('*** Add File: a', added, '*** Add File: new/b', '+b')]],
  ['a patch that changes files', applyPatch, [() => patchOf('*** Update File: file', '@@', '-old', added)]],
  [
    'a patch that moves and removes files',
    applyPatch,
    [() => patchOf('*** Delete File: PLAN.md', '*** Update File: file', '*** Move to: moved', '@@', '-old', added)],
  ],
];
/** A change without new content. */
const undoOfCreate: (typeof calls)[number] = [
  'the undo of a new file',
  fileEditor,
  [edit('create', 'created', { file_text: large }), edit('undo_edit', 'created', {})],
];

/** Executes calls and cancels the last one when `when` resolves, and expects that nothing changes from then on. */
async function cancelLast(
  [, open, inputs]: (typeof calls)[number],
  when: (directory: string) => Promise<void>,
): Promise<void> {
  await using workspace = await mkdtempDisposable(join(tmpdir(), 'varve-cancelled-'));
  await writeFiles(workspace.path, { file: 'old\n', 'PLAN.md': 'old\n' });
  const tool = open();
  const execute = (input: object, { signal }: AbortController) =>
    tool.execute(tool.parse(input), { workspace: workspace.path, signal, idempotencyKey: 'key' });
  for (const input of inputs.slice(0, -1)) await execute(input(workspace.path), new AbortController());
  const before = await contentsOf(workspace.path);
  const controller = new AbortController();
  const call = execute(inputs.at(-1)?.(workspace.path) ?? {}, controller);
  const [settled] = await Promise.allSettled([call, when(workspace.path).then(() => controller.abort())]);
  expect(settled).toMatchObject({ status: 'rejected', reason: { code: 'aborted' } });
  await tool.close?.();
  expect(await contentsOf(workspace.path)).toEqual(before);
}

async function contentsOf(directory: string): Promise<Readonly<Record<string, string | undefined>>> {
  const names = await readdir(directory, { recursive: true });
  const entries = names.toSorted().map(async (name) => {
    const content = await readFile(join(directory, name), 'utf8').catch(() => undefined);
    return [name, content?.slice(0, 20)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

test.for([...calls, undoOfCreate])('%s that is cancelled at its start changes nothing', async (row) => {
  await cancelLast(row, async () => undefined);
});

// A call that does not end within a second is reported as cancelled, and went on to change the files.
test.for(calls)('%s that is cancelled while its new content is written changes nothing', async (row) => {
  await cancelLast(row, async (directory) => {
    const isStaged = (): boolean =>
      readdirSync(directory, { recursive: true }).some((name) => String(name).includes('.varve-'));
    while (!isStaged()) await nextTurn();
  });
});
