import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { child } from '../child.ts';

test.runIf(process.platform !== 'win32')('an append that the disk rejects names its file', async () => {
  await using root = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const source = `
    import { directoryStore } from '@varve/storage/directory';
    const store = await directoryStore({ path: ${JSON.stringify(root.path)} });
    const log = await store.create('c', {});
    const { message } = await log.append([{ id: 'e', kind: 'K', text: '"x"'.padEnd(200_000) }]).catch((error) => error);
    console.log(message);`;
  // Files are limited to 50 blocks: the write to the opened file fails, and the error of the system names no file.
  await using writer = child(source, 'ulimit -f 50');
  const message = await writer.line();
  expect(message).toContain(`${root.path}/`);
  expect(message).toContain(' cannot be read or written: EFBIG.');
});
