import { existsSync } from 'node:fs';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, expect, test, vi } from 'vitest';
import { openedTool } from '../testing/opened-tool.ts';
import { grep } from './grep.ts';
import { newestFirst } from './machine.ts';
import { type RipgrepRun, runRipgrep } from './ripgrep.ts';

/** Options of a run whose program creates the file `started`, prints one record and does not end. */
async function endless(directory: string, signal: AbortSignal): Promise<RipgrepRun> {
  const program = join(directory, 'search');
  await writeFile(program, '#!/bin/sh\n: > started\necho record\nexec sleep 1000\n', { mode: 0o755 });
  return { program, args: [], directory, signal, timeoutMs: 600_000, separator: '\n', onRecord: () => true };
}

test('an abort ends the program of a search', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-search-'));
  const controller = new AbortController();
  const reason = new Error('cancelled');
  const run = await endless(directory.path, controller.signal);
  const onRecord = (): boolean => {
    controller.abort(reason);
    return true;
  };
  await expect(runRipgrep({ ...run, onRecord })).rejects.toBe(reason);
});

test('a search that is cancelled before it starts starts no program', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-search-'));
  const reason = new Error('cancelled');
  await expect(runRipgrep(await endless(directory.path, AbortSignal.abort(reason)))).rejects.toBe(reason);
  expect(existsSync(join(directory.path, 'started'))).toBe(false);
});

test('no program is run that a file of a workspace or its names configure', async () => {
  await using tool = await openedTool(grep());
  const started = join(tool.workspace, 'started');
  const program = join(tool.workspace, 'program');
  await writeFile(program, `#!/bin/sh\n: > ${started}\ncat "$1"\n`, { mode: 0o755 });
  await writeFile(join(tool.workspace, '.ripgreprc'), `--pre=${program}\n`);
  await writeFile(join(tool.workspace, `--pre=program`), 'needle');
  vi.stubEnv('RIPGREP_CONFIG_PATH', join(tool.workspace, '.ripgreprc'));
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const pattern of ['needle', '--pre=./program']) await tool.call({ pattern, include: '--pre=*' });
  expect(existsSync(started)).toBe(false);
});

test('files of a cancelled search are not read', async () => {
  const reason = new Error('cancelled');
  const options = { directory: tmpdir(), limit: 1, signal: AbortSignal.abort(reason) };
  await expect(newestFirst(['a'], options)).rejects.toBe(reason);
});
