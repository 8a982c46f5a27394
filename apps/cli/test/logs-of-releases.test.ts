import { cp, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shellWord } from '@varve/text';
import { newHome, runVarve } from './run-varve.ts';

/** Logs that the command wrote on a day, in each of its stores. They are never rewritten; a release adds one. */
const logs = join(import.meta.dirname, '../../../tests/golden/logs');
const days = await readdir(logs);

/** Copies the logs of a day, because opening a store writes to it. */
async function copyOf(day: string): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'varve-logs-'));
  await cp(join(logs, day), place, { recursive: true });
  return place;
}

const idIn = async (place: string): Promise<string> =>
  (await readdir(join(place, 'dir'))).find((name) => /^[0-9a-f]{32}$/.test(name)) ?? '';

async function expectLog(id: string, store: readonly string[]): Promise<void> {
  const home = await newHome();
  const run = (command: string) => runVarve([command, id, ...store], { home });
  expect(await run('verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('requests reproduced') });
  expect(await run('show')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Say golden[^]*echo golden[^]*Done/),
  });
}

test.for(days)('the SQLite store of %s opens', async (day) => {
  const store = ['--store', `sqlite:${join(await copyOf(day), 'varve.db')}`];
  const { stdout } = await runVarve(['ls', '--json', ...store], { home: await newHome() });
  await expectLog(/[0-9a-f]{32}/.exec(stdout)?.[0] ?? '', store);
});

test.for(days)('the directory of %s opens, or is imported if it has no seals', async (day) => {
  const place = await copyOf(day);
  const id = await idIn(place);
  if (day > '2026-11-21') return expectLog(id, ['--store', `dir:${join(place, 'dir')}`]);
  const store = ['--store', `sqlite:${join(place, 'imported.db')}`];
  const imported = await runVarve(['import', join(place, 'dir', id), ...store], { home: await newHome() });
  expect(imported).toMatchObject({ code: 0 });
  return expectLog(imported.stdout.trim(), store);
});

test.for(days.filter((day) => day > '2026-11-21'))('the exported file of %s is imported', async (day) => {
  const place = await copyOf(day);
  const store = ['--store', `sqlite:${join(place, 'imported.db')}`];
  const imported = await runVarve(['import', join(place, 'bundle.jsonl'), ...store], { home: await newHome() });
  expect(imported).toMatchObject({ code: 0 });
  await expectLog(imported.stdout.trim(), store);
});

test('a directory without seals is refused with the command that accepts it, after which it opens', async () => {
  const place = await copyOf('2026-11-21');
  const id = await idIn(place);
  const home = await newHome();
  const store = ['--store', `dir:${join(place, 'dir')}`];
  const resumed = await runVarve(['run', '--resume', id, 'Go on.', '--base-url', 'http://127.0.0.1:9/v1', ...store], {
    home,
  });
  const verified = await runVarve(['verify', id, ...store], { home });
  expect([resumed.code, verified.code]).toEqual([4, 4]);
  const [, command = ''] = /`varve (.*)` accepts them/.exec(resumed.stderr) ?? [];
  expect(verified.stderr).toContain(command);
  expect(command).toBe(`repair ${id} --accept-unsealed --store ${shellWord(`dir:${join(place, 'dir')}`)}`);
  expect(await runVarve(['repair', id, '--accept-unsealed', ...store], { home })).toMatchObject({ code: 0 });
  await expectLog(id, store);
});
