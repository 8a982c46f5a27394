import { readdir } from 'node:fs/promises';
import type { ApplyPatchObservation } from '@varve/events/payloads';
import { expect, test } from 'vitest';
import { writeFiles } from '../../test/support/write-files.ts';
import { openedTool } from '../testing/opened-tool.ts';
import { applyPatch } from './apply-patch.ts';

type Result = ReturnType<typeof ApplyPatchObservation.create>;

const names = Array.from({ length: 100 }, (_, at) => `file${at}`);
const patchOf = (section: (name: string) => string): { readonly patch: string } => ({
  patch: ['*** Begin Patch', ...names.map(section), '*** End Patch'].join('\n'),
});
const sections = {
  delete: (name: string) => `*** Delete File: ${name}`,
  update: (name: string) => `*** Update File: ${name}\n@@\n-first\n+new`,
  move: (name: string) => `*** Update File: ${name}\n*** Move to: new/${name}\n@@\n-first\n+new`,
};

// A patch of 40 KB that removed 1000 files made an event of 250 MB.
test.for(Object.entries(sections))('the result of a patch has a limited size: %s', async ([, section]) => {
  await using tool = await openedTool(applyPatch());
  await writeFiles(tool.workspace, Object.fromEntries(names.map((name) => [name, `first\n${'x'.repeat(100_000)}\n`])));
  const result = (await tool.call(patchOf(section))) as Result;
  expect(result).toMatchObject({ is_error: false });
  expect(JSON.stringify(result).length).toBeLessThan(2_500_000);
  const changes = Object.values(result.commit?.changes ?? {});
  expect(changes).toHaveLength(names.length);
  expect(changes[0]?.old_content).toMatch(/^first\nx/);
  expect(changes.at(-1)?.old_content).toBeUndefined();
});

// The files were all in memory: a thousand of 10 MB ended the process.
test.for(Object.entries(sections))('a patch of many large files is refused: %s', async ([, section]) => {
  await using tool = await openedTool(applyPatch({ maxFileBytes: 1000 }));
  await writeFiles(tool.workspace, Object.fromEntries(names.map((name) => [name, `first\n${'x'.repeat(500)}\n`])));
  expect(await tool.call(patchOf(section))).toMatchObject({
    is_error: true,
    message: 'Nothing was changed: the files of the patch have more than 10000 bytes, old and new.',
  });
  expect((await readdir(tool.workspace)).length).toBe(names.length);
});
