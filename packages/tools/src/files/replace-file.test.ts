import { execFileSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { chmod, mkdtempDisposable, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeAtomically } from '@varve/files';
import { changeIfSame, keepRights } from './replace-file.ts';

test('a file whose owner cannot be kept loses the bits that run it with the rights of its owner', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-write-'));
  await chmod(directory.path, 0o777);
  const path = join(directory.path, 'tool');
  const source = `
    import { statSync, writeFileSync } from 'node:fs';
    import { writeAtomically } from ${JSON.stringify(import.meta.resolve('@varve/files'))};
    import { keepRights } from ${JSON.stringify(new URL('replace-file.ts', import.meta.url).href)};
    if (process.getuid() === 0) process.setuid(65534);
    const path = ${JSON.stringify(path)};
    for (const owner of [process.getuid(), process.getuid() + 1]) {
      writeFileSync(path, 'old');
      await writeAtomically(path, 'new', keepRights({ ...statSync(path), uid: owner, mode: 0o106755 }));
      console.log((statSync(path).mode & 0o7777).toString(8));
    }`;
  const args = ['--conditions=@varve/source', '--input-type=module', '--eval', source];
  const modes = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n');
  // A system may not let a user set the bits at all.
  expect(['6755', '4755', '2755', '755']).toContain(modes[0]);
  expect(modes[1]).toBe('755');
});

test('a replaced file keeps a mode that is wider than that of its temporary file', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-write-'));
  const path = join(directory.path, 'run.sh');
  for (const mode of [0o444, 0o664, 0o755, 0o777]) {
    await writeFile(path, 'old', { flag: 'w' });
    await chmod(path, mode);
    await writeAtomically(path, 'new', keepRights(await stat(path)));
    expect((await stat(path)).mode & 0o777).toBe(mode);
    await rm(path);
  }
});

test('a file that is exchanged while it is compared is not changed, even for one with the same content', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const [path, other] = [join(directory.path, 'file'), join(directory.path, 'other')];
  const content = Buffer.from('old');
  for (const name of [path, other]) writeFileSync(name, content);
  let changes = 0;
  const change = (): void => void (changes += 1);
  expect(await changeIfSame(path, content, change)).toBe(true);
  const comparing = changeIfSame(path, content, change);
  renameSync(other, path);
  expect([await comparing, changes]).toEqual([false, 1]);
});
